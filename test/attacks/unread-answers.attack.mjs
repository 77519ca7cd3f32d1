import { setTimeout as delay } from 'node:timers/promises'
import { EMBEDDINGS, jsonPost, RAW } from './harness/bodies.mjs'
import { connected, head, openConnection } from './harness/connections.mjs'
import { memoryOf } from './harness/process-state.mjs'

// Unread answers. A reader that takes no byte for WRITE_STALL_SECONDS loses its connection, and the
// service what it held for it.

const STALL_SECONDS = 5
const OPEN_MS = 3000

const large = (headers) => {
  const {
    path,
    body,
    headers: own,
  } = jsonPost(
    EMBEDDINGS,
    '{"input_ids":[1],"context_length":65536,"tail":"pad","position_embedding":"none"}',
  )
  return head('POST', path, { ...own, ...headers }, body.length) + body
}

export const name = 'unread-answers'
export const about = '2,000 connections that want 64 MiB each, or the page’s script, and read nothing'
export const variants = {
  raw: { request: large(RAW), count: 2000 },
  json: { request: large({}), count: 2000, env: { MAX_JSON_RESPONSE_BYTES: String(2 ** 30) } },
  'the page’s script': { request: head('GET', '/docs/swagger-ui-bundle.js'), count: 2000 },
  openapi: { request: head('GET', '/openapi.json'), count: 2000 },
}
export const env = { WRITE_STALL_SECONDS: String(STALL_SECONDS) }

export async function send(service, { request, count }) {
  const sockets = Array.from({ length: count }, () => openConnection(service.port))
  const open = (await Promise.all(sockets.map(connected))).filter(Boolean).length
  for (const socket of sockets) socket.pause().write(request)
  await delay(OPEN_MS)
  const held = memoryOf(service.pid)?.rss
  // Twice: a stall is looked for now and then, not at every moment.
  await delay(STALL_SECONDS * 2000)
  // A connection that is not read does not tell that it has ended: a look at what the service still has.
  const answer = await service.call({ path: '/metrics', keep: 2 ** 20 })
  const left = Number(/^inlet_requests_in_flight\S* (\d+)/m.exec(answer.body.toString())?.[1] ?? Number.NaN)
  const after = memoryOf(service.pid)?.rss
  for (const socket of sockets) socket.resetAndDestroy()
  const mb = (bytes) => Math.round((bytes ?? Number.NaN) / 1e6)
  const said = `${open} unread: ${mb(held)} MB; after ${STALL_SECONDS * 2} s ${mb(after)} MB, ${left} in flight`
  return { answers: [], left, said }
}

export function expect({ left }, must) {
  must.atMost('requests in flight after the stall', left, 2, '')
}
