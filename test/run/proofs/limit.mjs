import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import {
  closeSync,
  fsyncSync,
  mkdtempSync,
  openSync,
  readFileSync,
  readSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
import { flagsOf } from '../../attacks/harness/script.mjs'

const HELP = `What inlet run could reach in one thread: the tokenizer's kernel alone on the same text, and a program that only reads and
hashes the input and hashes and writes the ids, beside inlet run on text as one document, as lines, and as JSON lines, by turns.

  npm run build && npm run build:modules && node test/run/proofs/limit.mjs --text FILE [--rounds 3]`

const flags = flagsOf(HELP, { text: '', rounds: 3 })
const MAIN = fileURLToPath(new URL('../../../dist/cli/main.js', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'inlet-limit-'))
const text = readFileSync(flags.text, 'utf8')
const inputs = { 'text.txt': text, 'lines.txt': text, 'lines.jsonl': jsonLines(text) }
for (const [name, body] of Object.entries(inputs)) writeFileSync(join(folder, name), body)
const textBytes = Buffer.byteLength(text)

function jsonLines(body) {
  const lines = body.split('\n').filter((line) => line !== '')
  return `${lines.map((line, id) => JSON.stringify({ id, text: line })).join('\n')}\n`
}

/** Seconds of one shard, as inlet run says. */
function run(name, ...args) {
  const out = join(folder, `out-${Math.random()}`)
  const all = ['run', join(folder, name), out, '--to', 'bin', '--threads', '1', '--quiet', ...args]
  const { stdout } = spawnSync(process.execPath, [MAIN, ...all])
  const line = JSON.parse(stdout)
  rmSync(out, { recursive: true })
  return { seconds: line.seconds, idBytes: line.tokens * 2 }
}

/** Reads and hashes the input, hashes and writes as many bytes as the ids have. */
function copy(name, idBytes) {
  const [input, output] = [openSync(join(folder, name)), openSync(join(folder, 'ids'), 'w')]
  const block = Buffer.alloc(1 << 19)
  const [inHash, outHash] = [createHash('sha256'), createHash('sha256')]
  const began = performance.now()
  for (let read = readSync(input, block); read > 0; read = readSync(input, block))
    inHash.update(block.subarray(0, read))
  for (let at = 0; at < idBytes; at += block.length) {
    outHash.update(block)
    writeSync(output, block)
  }
  fsyncSync(output)
  const seconds = (performance.now() - began) / 1000
  closeSync(input)
  closeSync(output)
  return seconds
}

const kernel = new Worker(new URL('./kernel-thread.mjs', import.meta.url), {
  workerData: { text: text.slice(0, 4_000_000), bytes: textBytes },
})
await once(kernel, 'message')
const found = {}
const note = (name, seconds) => {
  found[name] = [...(found[name] ?? []), seconds]
}
for (let round = 0; round < flags.rounds; round++) {
  kernel.postMessage('go')
  const [{ bytes, seconds }] = await once(kernel, 'message')
  note('kernel', (seconds * textBytes) / bytes)
  const { seconds: whole, idBytes } = run('text.txt')
  note('inlet run, one document', whole)
  note('inlet run, lines', run('lines.txt', '--documents', 'lines').seconds)
  note('inlet run, JSON lines', run('lines.jsonl').seconds)
  note('read, hash, write', copy('lines.jsonl', idBytes))
}
await kernel.terminate()
const median = (list) => list.toSorted((a, b) => a - b)[list.length >> 1]
const rate = (name) => textBytes / median(found[name]) / 1e6
console.log(
  `${(textBytes / 1e6).toFixed(0)} MB of text in ${text.split('\n').length} lines, ${statSync(join(folder, 'lines.jsonl')).size} bytes of JSON`,
)
for (const name of Object.keys(found))
  console.log(
    `${name}: ${rate(name).toFixed(0)} MB/s of text, ${(rate(name) / rate('kernel')).toFixed(2)} of the kernel`,
  )
const limit = textBytes / (median(found.kernel) + median(found['read, hash, write'])) / 1e6
console.log(`the kernel with reading, hashing and writing behind each other: ${limit.toFixed(0)} MB/s`)
rmSync(folder, { recursive: true })
