import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  closeSync,
  ftruncateSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { atMost } from './harness/floors.mjs'
import { median, takeTurns } from './harness/rounds.mjs'
import { freePort } from './harness/service.mjs'
import { figure } from './harness/text.mjs'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const MIB = 1 << 20
const WIDTH = 4096
const EMBED = 'model.embed_tokens.weight'

/** A folder with a large table: how long it takes to be ready, beside `cat`, and what is read of all its bytes. */
export async function bench({ rounds, quick }) {
  const folder = mkdtempSync(join(tmpdir(), 'inlet-bench-folders-'))
  try {
    const rows = (quick ? 300 : 3000) * (MIB / (2 * WIDTH))
    const tableBytes = rows * WIDTH * 2
    const file = writeModel(join(folder, 'one', 'large'), rows, 0)
    const sharded = 15 * tableBytes // the other shards are holes: they are never read
    writeModel(join(folder, 'sharded', 'large'), rows, sharded)
    const empty = join(folder, 'none')
    mkdirSync(empty)
    const limit = compiledLimit(folder)
    cat(file) // the page cache is warm from here on
    const figures = await takeTurns(rounds, {
      ...(limit && {
        limit: () => ({ ms: limit(file, 'small') }),
        huge: () => ({ ms: limit(file, 'huge') }),
      }),
      with: () => start(join(folder, 'one')),
      without: () => start(empty),
      cat: () => ({ ms: cat(file) }),
    })
    const ms = (name) => median(figures[name].map((each) => each.ms))
    const resident = (name) => median(figures[name].map((each) => each.residentBytes))
    const reading = ms('with') - ms('without')
    const { readBytes } = await start(join(folder, 'sharded'))
    const grown = (resident('with') - resident('without')) / tableBytes
    const share = readBytes / (tableBytes + sharded)
    return {
      title: `A folder with a table of ${figure(tableBytes / 1e9)} GB`,
      notes: [
        'Ready: from the start of the process, less that of a service without the folder. The page cache is warm.',
        'The C program (folders/fresh-memory.c) reads the file with four threads into memory that nobody has touched, as a table’s is: in pages of 4 KiB, as Node has them, and of 2 MiB, which it cannot ask for.',
        ...(limit ? [] : ['There is no `cc` here: the C program was not run.']),
      ],
      head: [
        'until it is ready, s',
        '`cat` of the file, s',
        'C, 4 KiB pages, s',
        'C, 2 MiB pages, s',
        'memory, times the table',
        'read of a checkpoint of 16 parts',
      ],
      rows: [
        [
          ...[reading, ms('cat')].map((each) => figure(each / 1000)),
          ...['limit', 'huge'].map((name) => (limit ? figure(ms(name) / 1000) : '–')),
          ...[figure(grown), figure(share)],
        ],
      ],
      floors: [
        ...(limit ? [atMost('reading beside the C program', reading / ms('limit'), 1.5, 'times')] : []),
        atMost('memory beside the table', grown, 1.05, 'times'),
        atMost('share that is read of 16 parts', share, 1 / 15, ''),
      ],
    }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** A LLaMA of bfloat16 rows, and as many bytes of other tensors in a file of their own. Returns the table's file. */
function writeModel(path, rows, otherBytes) {
  mkdirSync(path, { recursive: true })
  const config = { model_type: 'llama', hidden_size: WIDTH, num_attention_heads: 32, dtype: 'bfloat16' }
  write(join(path, 'config.json'), JSON.stringify(config))
  const name = otherBytes === 0 ? 'model.safetensors' : 'a.safetensors'
  const block = Buffer.alloc(MIB)
  for (let i = 0; i < MIB; i += 2) block.writeUInt16LE(0x3f80 + (i % 97), i)
  writeTensors(join(path, name), { [EMBED]: [rows, WIDTH] }, (file) => {
    for (let done = 0; done < rows * WIDTH * 2; done += MIB) writeSync(file, block)
  })
  if (otherBytes > 0) {
    writeTensors(
      join(path, 'b.safetensors'),
      { 'lm_head.weight': [otherBytes / (2 * WIDTH), WIDTH] },
      () => {},
    )
    const weight_map = { [EMBED]: 'a.safetensors', 'lm_head.weight': 'b.safetensors' }
    write(join(path, 'model.safetensors.index.json'), JSON.stringify({ weight_map }))
  }
  return join(path, name)
}

function write(path, text) {
  const file = openSync(path, 'w')
  writeSync(file, text)
  closeSync(file)
}

function writeTensors(path, shapes, fill) {
  const [[name, shape]] = Object.entries(shapes)
  const bytes = shape[0] * shape[1] * 2
  const json = Buffer.from(JSON.stringify({ [name]: { dtype: 'BF16', shape, data_offsets: [0, bytes] } }))
  const head = Buffer.alloc(8)
  head.writeBigUInt64LE(BigInt(json.length))
  const file = openSync(path, 'w')
  writeSync(file, Buffer.concat([head, json]))
  fill(file)
  ftruncateSync(file, 8 + json.length + bytes)
  closeSync(file)
}

/** The C program: milliseconds that it takes to read a file; undefined where nothing compiles it. */
function compiledLimit(folder) {
  const program = join(folder, 'fresh-memory')
  const source = fileURLToPath(new URL('folders/fresh-memory.c', import.meta.url))
  try {
    execFileSync('cc', ['-O2', '-pthread', source, '-o', program], { stdio: 'ignore' })
  } catch {
    return undefined
  }
  return (file, pages) => Number(execFileSync(program, [file, '4', ...(pages === 'huge' ? ['huge'] : [])]))
}

/** Milliseconds that reading a file takes that does nothing else. */
function cat(path) {
  const start = performance.now()
  execFileSync('sh', ['-c', 'cat "$0" > /dev/null', path])
  return performance.now() - start
}

/** A service over a folder of models: milliseconds until it is ready, its memory then, and bytes that it has read. */
async function start(models) {
  const began = performance.now()
  const child = spawn(process.execPath, ['dist/server.js'], {
    cwd: ROOT,
    env: {
      ...process.env,
      MODELS_DIR: models,
      PORT: String(await freePort()),
      HOST: '127.0.0.1',
      THREADS: '1',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let text = ''
  for await (const chunk of child.stdout) {
    text += chunk
    if (text.includes('"msg":"ready"')) break
  }
  const ms = performance.now() - began
  const status = readFileSync(`/proc/${child.pid}/status`, 'utf8')
  const io = readFileSync(`/proc/${child.pid}/io`, 'utf8')
  child.kill('SIGKILL')
  await once(child, 'exit')
  return {
    ms,
    residentBytes: Number(/VmRSS:\s+(\d+)/.exec(status)[1]) * 1024,
    readBytes: Number(/rchar: (\d+)/.exec(io)[1]),
  }
}
