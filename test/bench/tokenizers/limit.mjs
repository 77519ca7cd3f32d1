// What WebAssembly's 128 bits allow at most: the kernel's algorithm in C (limit.c), for GPT-2, beside the kernel on the
// same texts. `node test/bench/tokenizers/limit.mjs [ROUNDS]` after `npm run build:modules`. Needs gcc or clang.
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { classTable } from '../../../build/src/first-layer/tokens/unicode/character-class.js'
import { median, ratio } from '../harness/rounds.mjs'
import { figure, table, times } from '../harness/text.mjs'
import { startOwn } from './contenders.mjs'
import { CORPUS_NAMES } from './corpora.mjs'
import { hasTexts, unseenTexts } from './documents.mjs'
import { tokenizerFiles } from './tokenizer-files.mjs'

/** What V8 uses of the processor, and no more. */
const OPTIONS = ['-O3', '-msse4.2', '-mpopcnt', '-mbmi', '-mlzcnt']
const ROUNDS = Number(process.argv[2] ?? 5)

const compiler = ['clang', 'gcc'].find((name) => spawnSync(name, ['--version']).error === undefined)
if (compiler === undefined) {
  console.log('There is no clang and no gcc: the limit is not measured.')
  process.exit()
}
const folder = mkdtempSync(join(tmpdir(), 'inlet-bench-limit-'))
try {
  console.log(`${compiler} ${OPTIONS.join(' ')}; nanoseconds a byte, ${ROUNDS} rounds\n`)
  console.log(table(['text', 'kernel', 'C', 'C beside the kernel'], await rows()))
} finally {
  rmSync(folder, { recursive: true })
}

async function rows() {
  const program = join(folder, 'limit')
  execFileSync(compiler, [...OPTIONS, '-o', program, fileURLToPath(new URL('limit.c', import.meta.url))])
  const files = await tokenizerFiles('gpt2')
  const classes = join(folder, 'classes')
  const { index, pages } = classTable()
  writeFileSync(classes, Buffer.concat([index, pages]))
  const rows = []
  for (const name of CORPUS_NAMES.filter(hasTexts)) {
    const { warm, unseen } = unseenTexts(name, 1)
    const texts = join(folder, 'texts')
    writeFileSync(texts, Buffer.concat([...warm, ...unseen[0]].flatMap(withLength)))
    const bytes = unseen[0].reduce((sum, text) => sum + Buffer.byteLength(text), 0)
    const own = []
    const inC = []
    for (let round = 0; round < ROUNDS; round++) {
      const ranks = join(files.folder, 'r50k_base.tiktoken')
      const c = JSON.parse(execFileSync(program, [ranks, classes, texts, String(warm.length)]))
      const inlet = await startOwn('gpt2', files)
      await inlet.ask(warm)
      const { seconds, ids } = await inlet.ask(unseen[0])
      inlet.stop()
      if (sumOf(ids.flat()) !== c.sum) throw new Error(`${name}: the program in C gives other ids`)
      inC.push(c.nanoseconds)
      own.push((seconds * 1e9) / bytes)
    }
    rows.push([name, figure(median(own)), figure(median(inC)), times(ratio(own, inC))])
  }
  return rows
}

function withLength(text) {
  const utf8 = Buffer.from(text)
  const length = Buffer.alloc(4)
  length.writeUInt32LE(utf8.length)
  return [length, utf8]
}

/** As limit.c adds ids up. */
function sumOf(ids) {
  let sum = 0n
  for (const id of ids) sum = BigInt.asUintN(64, sum * 31n + BigInt(id))
  return String(sum)
}
