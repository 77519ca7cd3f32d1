import '../built.js'
import { type ChildProcess, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { request as httpRequest } from 'node:http'
import { Readable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { loadEncoding } from '../../src/first-layer/tokens/encoding.js'
import { tokenizeText } from '../first-layer/tokens/tokenize-text.js'

const MIB = 2 ** 20
const QUERY = 'outputs=input_ids&context_length=1024&tail=pad'
/** Bytes of one window of ids: the padding of the last one may take as many. */
const WINDOW_BYTES = 1024 * 4

let server: ChildProcess
let port: number
beforeAll(async () => {
  server = spawn(process.execPath, ['dist/server.js'], {
    env: { ...process.env, PORT: '0', HOST: '127.0.0.1', THREADS: '1', EMBEDDING_DIM: '8' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let log = ''
  server.stdout?.on('data', (bytes) => {
    log += bytes
  })
  while (!log.includes('"ready"')) await delay(20)
  port = Number(/127\.0\.0\.1:(\d+)/.exec(log)?.[1])
})
afterAll(() => server.kill())

/** Prose that repeats itself nowhere for long, with characters of every length. */
function book(bytes: number): Buffer {
  const lines: string[] = []
  for (let i = 0, length = 0; length < bytes; i++) {
    const line = `Line ${i}: the quick brown fox — número ${(i * 7919) % 104729} — jumps over 犬 ${i % 97}, 🦊 it's <|endoftext|>\n`
    lines.push(line)
    length += Buffer.byteLength(line)
  }
  const text = Buffer.from(lines.join(''))
  let end = bytes
  while ((text[end] & 0xc0) === 0x80) end--
  return text.subarray(0, end)
}

function* cut(bytes: Uint8Array, size: number): Generator<Uint8Array> {
  for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size)
}

function upload(chunks: Iterable<Uint8Array>): Promise<{ status?: number; sha256: string; bytes: number }> {
  return new Promise((resolve, reject) => {
    const outgoing = httpRequest(
      {
        port,
        method: 'POST',
        path: `/v1/input-embeddings?${QUERY}`,
        headers: { 'content-type': 'text/plain', accept: 'application/octet-stream' },
      },
      async (response) => {
        const hash = createHash('sha256')
        let bytes = 0
        for await (const part of response) {
          hash.update(part)
          bytes += part.length
        }
        resolve({ status: response.statusCode, sha256: hash.digest('hex'), bytes })
      },
    )
    outgoing.on('error', reject)
    Readable.from(chunks, { objectMode: true, highWaterMark: 1 }).pipe(outgoing)
  })
}

/** The expected answer: the ids, the last window padded with end-of-text. */
async function expected(text: Buffer): Promise<{ sha256: string; bytes: number }> {
  const gpt2 = await loadEncoding('gpt2')
  const ids = tokenizeText(gpt2, [text], { allowedSpecial: new Set(['<|endoftext|>']) })
  const padded = new Int32Array(Math.ceil(ids.length / 1024) * 1024).fill(gpt2.endOfText!)
  padded.set(ids.toInt32Array())
  return {
    sha256: createHash('sha256').update(new Uint8Array(padded.buffer)).digest('hex'),
    bytes: padded.byteLength,
  }
}

test('64 MB in 1 KB and in 1 MB chunks give the same answer, in little more memory than its ids', async () => {
  const text = book(64 * MIB - 10)
  const answer = { status: 200, ...(await expected(text)) }
  const before = peakMemory()
  expect(await upload(cut(text, MIB))).toEqual(answer)
  expect(await upload(cut(text, 1024))).toEqual(answer)
  const grown = peakMemory() - before
  console.info(`ids: ${(answer.bytes / MIB).toFixed(1)} MiB; memory grew by ${(grown / MIB).toFixed(1)} MiB`)
  // Two uploads, of which the first one's ids may not have been collected yet; the text would add 64 MiB each.
  expect(grown).toBeLessThan(2 * answer.bytes + WINDOW_BYTES + 64 * MIB)
})

test('1 MB in 1-byte chunks gives the answer of one chunk', async () => {
  const text = book(MIB)
  const answer = { status: 200, ...(await expected(text)) }
  expect(await upload([text])).toEqual(answer)
  expect(await upload(cut(text, 1))).toEqual(answer)
})

/** The most that the service has held, in bytes; 0 where the system does not say. */
function peakMemory(): number {
  const status = `/proc/${server.pid}/status`
  if (!existsSync(status)) return 0
  return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(status, 'utf8'))?.[1]) * 1024
}
