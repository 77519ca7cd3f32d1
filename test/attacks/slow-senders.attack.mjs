import { performance } from 'node:perf_hooks'
import { AnswerReader, codeOf } from './harness/answers.mjs'
import { EMBEDDINGS } from './harness/bodies.mjs'
import { connected, head, openConnection } from './harness/connections.mjs'

// Slowloris: heads and bodies a byte at a time. Each has a time by which it must be there, and holds nothing dear
// until then.

const DEADLINE_SECONDS = 4
const BYTE_MS = 250
const JSON_TYPE = { 'Content-Type': 'application/json' }
const jsonHead = head('POST', EMBEDDINGS, JSON_TYPE, 1_000_000)
const textHead = head('POST', `${EMBEDDINGS}?context_length=4`, { 'Content-Type': 'text/plain' }, 60_000_000)

export const name = 'slow-senders'
export const about = '500 connections whose heads or bodies come a byte at a time'
export const variants = {
  'JSON bodies': { begin: jsonHead, byte: ' ', forMs: DEADLINE_SECONDS * 1000 + 12_000 },
  // Of a refused one the rest is read for half a minute.
  'text bodies': { begin: textHead, byte: 'a', forMs: 45_000 },
  'chunked bodies': {
    begin: head('POST', EMBEDDINGS, { ...JSON_TYPE, 'Transfer-Encoding': 'chunked' }),
    byte: '1\r\n \r\n',
    forMs: DEADLINE_SECONDS * 1000 + 12_000,
  },
  // Node looks for late heads, a minute old, each half minute.
  heads: { begin: 'GET /health/live HTTP/1.1\r\nHost: a\r\nX-', byte: 'a', forMs: 95_000 },
  'nothing but a connection': { begin: '', byte: '', forMs: 95_000 },
}
export const env = { REQUEST_DEADLINE_SECONDS: String(DEADLINE_SECONDS) }
export const limitMs = 120_000
const COUNT = 500

export async function send(service, { begin, byte, forMs }) {
  const started = performance.now()
  const answers = []
  let open = COUNT
  let lastMs
  const sockets = Array.from({ length: COUNT }, () => {
    const socket = openConnection(service.port)
    const reader = new AnswerReader((answer) => answers.push({ ...answer, code: codeOf(answer) }))
    socket.on('data', (chunk) => reader.feed(chunk))
    const gone = () => {
      if (socket.destroyed && socket.counted) return
      socket.counted = true
      open--
      lastMs = performance.now() - started
      socket.destroy()
    }
    socket.on('end', gone).on('close', () => socket.counted || gone())
    socket.write(begin)
    return socket
  })
  await Promise.all(sockets.map(connected))
  await new Promise((resolve) => {
    const timer = setInterval(() => {
      if (byte !== '') for (const socket of sockets) if (socket.writable) socket.write(byte)
      if (open > 0 && performance.now() - started < forMs) return
      clearInterval(timer)
      resolve()
    }, BYTE_MS)
  })
  const left = open
  for (const socket of sockets) socket.resetAndDestroy()
  const last = left === COUNT ? '' : `, the last after ${(lastMs / 1000).toFixed(1)} s`
  return { answers, left, said: `${COUNT - left} of ${COUNT} ended${last}; ${left} still open` }
}

export function expect({ answers, left }, must) {
  must.that(left === 0, `every one must be ended in time: ${left} were not`)
  must.answered(answers, ['408', '503', '504'])
}
