import { setTimeout as delay } from 'node:timers/promises'
import { EMBEDDINGS, largestDrawing } from './harness/bodies.mjs'
import { connected, head, openConnection } from './harness/connections.mjs'

// SIGTERM beside connections that say nothing more: the process ends by SHUTDOWN_SECONDS, with 0.

const SHUTDOWN_SECONDS = 6
/** Beyond it the process is said to hang. */
const PATIENCE_MS = 25_000
const drawing = (i) => head('GET', largestDrawing(i).path, largestDrawing(i).headers)
const LARGE = '{"input_ids":[1],"context_length":1000000,"tail":"pad","position_embedding":"none"}'

export const name = 'signal'
export const about = 'SIGTERM beside silent, half-sent, idle and unread connections'
export const variants = {
  'a silent connection': { bytes: () => '' },
  'half a head': { bytes: () => 'GET /health/live HTTP/1.1\r\nHos' },
  'half a body': {
    bytes: () => `${head('POST', EMBEDDINGS, { 'Content-Type': 'application/json' }, 100)}{"text`,
    runs: true, // the rest may come as long as there is time
  },
  'a kept connection': { bytes: () => head('GET', '/health/live') },
  'an unread answer': {
    bytes: () =>
      head(
        'POST',
        EMBEDDINGS,
        { 'Content-Type': 'application/json', Accept: 'application/octet-stream' },
        LARGE.length,
      ) + LARGE,
    unread: true,
  },
  'forty large drawings': { bytes: drawing, count: 40, unread: true },
}
export const env = { DRAIN_SECONDS: '1', SHUTDOWN_SECONDS: String(SHUTDOWN_SECONDS), THREADS: '2' }

export async function send(service, { bytes, count = 1, unread }) {
  const sockets = Array.from({ length: count }, () => openConnection(service.port))
  await Promise.all(sockets.map(connected))
  for (const [i, socket] of sockets.entries()) {
    if (unread) socket.pause()
    else socket.resume()
    socket.write(bytes(i))
  }
  await delay(500)
  const end = await service.stop(PATIENCE_MS)
  for (const socket of sockets) socket.resetAndDestroy()
  const seconds = (end.ms / 1000).toFixed(1)
  return {
    end,
    endsIt: true,
    said: end.hung ? `alive after ${seconds} s` : `exit ${end.code} after ${seconds} s`,
  }
}

export function expect({ end }, must, { unread, runs = unread }) {
  must.that(!end.hung, `the process must end: alive after ${PATIENCE_MS / 1000} s`)
  if (end.hung) return
  must.that(end.code === 0, `it must exit with 0: ${end.code ?? end.signal}`)
  // Who only says nothing is not waited for: the drain of a second, and a little.
  must.atMost('the end', end.ms / 1000, runs ? SHUTDOWN_SECONDS + 1 : 4, 's')
}
