// node test/features/memory/proofs/sparse.mjs [--tokens N] [--folder F]
// Rows of hashed n-grams from a table of 102 GB, [320001536, 160] in bfloat16, all holes but some rows: it starts as fast as
// a small one, takes little memory, gives the rows that were written, and warm rows fast; row numbers of all tokens are those
// of the law, in pieces that go on from the ids before them. Cold rows are the kernel's work: 10 minutes for a million
// tokens. Needs a build and a file system with sparse files.
import {
  closeSync,
  ftruncateSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { modelFromFolder } from '../../../../dist/index.js'
import { slowRows } from '../../../twins/memory.mjs'

const { values: flags } = parseArgs({
  options: { tokens: { type: 'string', default: '1000000' }, folder: { type: 'string', default: tmpdir() } },
})
const TOKENS = Number(flags.tokens)
const V = 248_320
const C = 32
const WIDTH = 160
const EOS = 5
const ROW_BYTES = 2 * WIDTH
/** What NumPy's law makes of this config.json: the sizes of the heads, primes, and multipliers. */
const SIZES = [3, 23, 33, 47, 59, 63, 69, 77, 81, 93, 107, 147, 153, 159, 161, 171].map((n) => 20_000_000 + n)
const MULTIPLIERS = [23_703_573_157_769n, 20_109_073_645_365n, 8_052_911_324_071n]
const root = mkdtempSync(join(flags.folder, 'sparse-'))
const check = (is, what) => {
  if (!is) throw new Error(what)
}

/** A folder with a table of so many rows, and where the table begins in its file. */
function makeFolder(name, base, rows) {
  const folder = join(root, name)
  mkdirSync(folder)
  const config = {
    ...{
      model_type: 'qwen4_exp_text',
      dtype: 'bfloat16',
      vocab_size: V,
      hidden_size: C,
      num_attention_heads: 4,
    },
    ...{ hc_count: 4, ple_layer_ids: [1], ngram_size: 3, heads_per_ngram: 8, ngram_vocab_size_base: base },
    ...{ seed: 1234, eos_token_id: EOS },
  }
  writeFileSync(join(folder, 'config.json'), JSON.stringify(config))
  const tokens = 2 * V * C
  const end = tokens + rows * ROW_BYTES
  const table = 'model.layers.0.ple.ple_embedding.ngram_embedding.weight'
  const header = Buffer.from(
    JSON.stringify({
      'model.embed_tokens.weight': { dtype: 'BF16', shape: [V, C], data_offsets: [0, tokens] },
      [table]: { dtype: 'BF16', shape: [rows, WIDTH], data_offsets: [tokens, end] },
    }),
  )
  const length = Buffer.alloc(8)
  length.writeBigUInt64LE(BigInt(header.length))
  const path = join(folder, 'model.safetensors')
  const file = openSync(path, 'w')
  writeSync(file, Buffer.concat([length, header]))
  ftruncateSync(file, 8 + header.length + end)
  closeSync(file)
  return { folder, path, at: 8 + header.length + tokens }
}

/** A model of the folder, and the milliseconds of the processor's time that its start took. */
async function started({ folder }) {
  const before = process.cpuUsage()
  const model = await modelFromFolder(folder)
  const { user, system } = process.cpuUsage(before)
  return { model, ms: (user + system) / 1000 }
}

/** The least of several starts: the first ones compile. */
async function leastStart(made) {
  const all = []
  for (let i = 0; i < 5; i++) {
    const { model, ms } = await started(made)
    model.dispose()
    all.push(ms)
  }
  return Math.min(...all)
}

try {
  const large = makeFolder('large', 20_000_000, 320_001_536)
  const small = makeFolder('small', 11, 1024)
  await leastStart(small)
  const [few, many] = [await leastStart(small), await leastStart(large)]
  const { model } = await started(large)
  console.log(
    `start: ${few.toFixed(0)} ms with a small table, ${many.toFixed(0)} ms with 102 GB, processor time`,
  )

  let state = 7
  const random = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
  const ids = Int32Array.from({ length: TOKENS }, () => (random() < 0.02 ? EOS : Math.floor(random() * V)))

  const some = ids.subarray(0, 64)
  const rows = (await model.embed(some, { outputs: ['ngram_ids'] })).tensor('ngram_ids').data
  const file = openSync(large.path, 'r+')
  for (const row of rows) {
    const bytes = Buffer.from(new Uint16Array(WIDTH).map((_, i) => (row * 31 + i) & 0x3fff).buffer)
    writeSync(file, bytes, 0, ROW_BYTES, large.at + row * ROW_BYTES)
  }
  closeSync(file)
  const options = { outputs: ['ngram_embeddings'], dtype: 'bfloat16' }
  const got = (await model.embed(some, options)).tensor('ngram_embeddings').data
  rows.forEach((row, i) => {
    for (let k = 0; k < WIDTH; k++)
      check(got[i * WIDTH + k] === ((row * 31 + k) & 0x3fff), `row ${row} is not the one that was written`)
  })

  /** Reads the rows of tokens; returns the rows of a second of the processor's time: others may keep it busy. */
  async function read(tokens) {
    const before = process.cpuUsage()
    let bytes = 0
    for (const block of (await model.embed(tokens, options)).tensor('ngram_embeddings').blocks())
      bytes += block.length
    check(bytes === tokens.length * 16 * ROW_BYTES, 'bytes are missing')
    const { user, system } = process.cpuUsage(before)
    return (tokens.length * 16) / ((user + system) / 1e6)
  }

  const part = ids.subarray(0, Math.min(TOKENS, 20_000))
  const cold = await read(part)
  const warm = Math.max(await read(part), await read(part), await read(part))
  console.log(`rows a second: ${Math.round(cold)} at first, ${Math.round(warm)} warm`)
  let most = 0
  for (let at = 0; at < TOKENS; at += 50_000) {
    await read(ids.subarray(at, at + 50_000))
    most = Math.max(most, process.memoryUsage().rss)
  }
  const MiB = Math.round(most / 2 ** 20)
  console.log(`${TOKENS} tokens with at most ${MiB} MiB resident; ${Math.round(warm)} rows a second, warm`)

  const hashes = [0, 1].map((k) => {
    const sizes = SIZES.slice(8 * k, 8 * k + 8)
    const offsets = sizes.map((_, h) => SIZES.slice(0, 8 * k + h).reduce((sum, size) => sum + size, 0))
    return { combine: 'xor', multipliers: MULTIPLIERS.slice(0, k + 2), sizes, offsets }
  })
  let pieces = 0
  for (let at = 0, end = 0; at < TOKENS; at = end, pieces++) {
    end = Math.min(TOKENS, at + 1 + Math.floor(random() * 20_000))
    const before = [...ids.subarray(Math.max(0, at - 2), at)]
    const piece = ids.subarray(at, end)
    const asked = { outputs: ['ngram_ids'], ngram_context: [before] }
    const numbers = (await model.embed(piece, asked)).tensor('ngram_ids').data
    const law = slowRows([...piece], hashes, { fill: EOS, stopsAtFill: true }, before).flat()
    check(law.length === numbers.length, 'row numbers are missing')
    const wrong = law.findIndex((row, i) => row !== numbers[i])
    check(wrong < 0, `row ${numbers[wrong]} of token ${at + Math.floor(wrong / 16)} is not the law's`)
  }
  console.log(`${TOKENS * 16} row numbers in ${pieces} pieces are those of the law`)
  model.dispose()
  check(many < few * 1.5 + 10, 'the start takes longer with a large table')
  check(warm >= 250_000, 'warm rows come slower than 250,000 a second')
  check(MiB < 300, `${MiB} MiB are resident`)
} finally {
  rmSync(root, { recursive: true })
}
