import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { memoryOf } from '../../attacks/harness/process-state.mjs'
import { end, flagsOf } from '../../attacks/harness/script.mjs'
import { findPython } from '../../bench/harness/python.mjs'
import { writeCorpus } from './corpus.mjs'

const HELP = `Tables of inlet run. What pyarrow reads of its Parquet and Arrow is .bin and .npy bit for bit, and pandas, polars and DuckDB
open them. Then a large Parquet file as input: memory at its most, beside a small file's. BENCH_PYTHON: one with pyarrow, polars,
duckdb, pandas and numpy.

  npm run build && BENCH_PYTHON=… node test/run/proofs/tables.mjs [--gigabytes 1]`

const flags = flagsOf(HELP, { gigabytes: 1 })
const python = findPython('pyarrow', 'polars', 'duckdb', 'pandas', 'numpy')
if (python.absent) {
  console.log(`not run: ${python.absent}`)
  process.exit(0)
}
const MAIN = fileURLToPath(new URL('../../../dist/cli/main.js', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'inlet-tables-'))
const failures = []

/** Runs one shard. @returns its line, and the most memory of the process in bytes */
async function run(input, ...args) {
  const out = join(folder, `out-${readdirSync(folder).length}`)
  const child = spawn(process.execPath, [MAIN, 'run', input, out, '--threads', '1', '--quiet', ...args], {
    env: { ...process.env, EMBEDDING_DIM: '24' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let text = ''
  child.stdout.on('data', (chunk) => {
    text += chunk
  })
  const closed = once(child, 'close')
  let most = 0
  let isOver = false
  closed.then(() => {
    isOver = true
  })
  while (!isOver) {
    most = Math.max(most, memoryOf(child.pid)?.peak ?? 0)
    await Promise.race([closed, delay(50)])
  }
  return { ...JSON.parse(text), most }
}

const [corpus] = writeCorpus({ folder: join(folder, 'in'), shards: 1, bytes: 3e6, seed: 1, lines: true })
const tables = join(folder, 'tables')
spawnSync('mkdir', [tables])
const keep = async (name, ...args) => copyFileSync((await run(corpus, ...args)).output, join(tables, name))
const columns = ['input_ids', 'input_embeddings', 'window_starts']
const windows = ['--context-length', '16', '--stride', '8', '--outputs']
await keep('ids.bin', '--to', 'bin')
for (const to of ['parquet', 'arrow']) {
  await keep(`ids.${to}`, '--to', to)
  await keep(`tensors.${to}`, '--to', to, ...windows, columns.join())
}
for (const name of columns) await keep(`${name}.npy`, '--to', 'npy', ...windows, name)
const script = (name, ...args) =>
  spawnSync(python.path, [fileURLToPath(new URL(name, import.meta.url)), ...args], { stdio: 'inherit' })
    .status
if (script('tables.py', tables) !== 0) failures.push('tables.py')

const small = join(folder, 'small.parquet')
const large = join(folder, 'large.parquet')
if (script('large_parquet.py', corpus, small, '0.02') !== 0) failures.push('large_parquet.py')
if (script('large_parquet.py', corpus, large, String(flags.gigabytes)) !== 0)
  failures.push('large_parquet.py')
const [few, many] = [await run(small, '--to', 'bin'), await run(large, '--to', 'bin')]
for (const { input, seconds, most, documents } of [few, many])
  console.log(
    `${statSync(input).size} bytes of Parquet, ${documents} documents: ${seconds} s, at most ${most} bytes of memory`,
  )
if (many.most > few.most + 100e6) failures.push('memory grows with the file')
rmSync(folder, { recursive: true })
end(failures)
