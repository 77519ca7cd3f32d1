// node test/features/memory/proofs/sparse.mjs [--tokens N] [--folder F]
// Rows of hashed n-grams from a table of 102 GB, [320001536, 160] in bfloat16, all holes but some rows: it starts as fast as
// a small one, takes little memory, gives the rows that were written, and warm rows fast. Needs a build and a file system
// with sparse files.
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

const { values: flags } = parseArgs({
  options: { tokens: { type: 'string', default: '1000000' }, folder: { type: 'string', default: tmpdir() } },
})
const TOKENS = Number(flags.tokens)
const V = 248_320
const C = 32
const WIDTH = 160
const EOS = 5
const ROW_BYTES = 2 * WIDTH
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
  const began = performance.now()
  const made = (await model.embed(ids, { outputs: ['ngram_ids'] })).tensor('ngram_ids')
  let most = 0
  let last = 0
  for (const block of made.blocks()) {
    most = Math.max(most, process.memoryUsage().rss)
    last = block.length
  }
  check(last > 0, 'there are no row numbers')
  console.log(`row numbers: ${Math.round((TOKENS * 16) / (performance.now() - began))} a ms`)
  for (let at = 0; at < TOKENS; at += 50_000) {
    await read(ids.subarray(at, at + 50_000))
    most = Math.max(most, process.memoryUsage().rss)
  }
  model.dispose()
  const MiB = Math.round(most / 2 ** 20)
  check(many < few * 1.5 + 10, 'the start takes longer with a large table')
  check(warm >= 250_000, 'warm rows come slower than 250,000 a second')
  check(MiB < 300, `${MiB} MiB are resident`)
  console.log(`${TOKENS} tokens with at most ${MiB} MiB resident; ${Math.round(warm)} rows a second, warm`)
} finally {
  rmSync(root, { recursive: true })
}
