import { setTimeout as delay } from 'node:timers/promises'
import { EMBEDDINGS, jsonPost, RAW } from './bodies.mjs'
import { call } from './calls.mjs'
import { connected, head, openConnection } from './connections.mjs'
import { KeptConnection } from './kept-connection.mjs'

const PAUSE_MS = 100
const BODY = '{"text":"Hello, world! This is the first layer.","context_length":4,"encoding_format":"base64"}'
const JSON_TYPE = { 'Content-Type': 'application/json' }
const SMALL = jsonPost(EMBEDDINGS, BODY)
const KEPT = head('POST', EMBEDDINGS, JSON_TYPE, BODY.length) + BODY
/** So late after the signal every answer knows of it. */
const TOLD_MS = 100

/**
 * Clients with small requests until `stop()`: half with a connection for each request, half with a kept one. Call
 * `signal()` when SIGTERM is sent: from then on an answer on a kept connection must say `Connection: close`.
 */
export function stoppingClients(port, count) {
  let running = true
  let signalled = Number.POSITIVE_INFINITY
  const tally = () => ({ asked: 0, lost: 0, untold: 0, reasons: {} })
  const fresh = tally()
  const kept = tally()
  const note = (into, { status, code, problem }) => {
    into.asked++
    if (status === 200 && problem === undefined) return
    into.lost++
    const what = problem ?? `${status} ${code}`
    into.reasons[what] = (into.reasons[what] ?? 0) + 1
  }
  const pause = () => delay(PAUSE_MS * (0.5 + Math.random()))

  const withNew = async () => {
    for (; running; await pause()) note(fresh, await call(port, SMALL))
  }
  const withKept = async () => {
    const connection = new KeptConnection(port)
    for (; running; await pause()) {
      const asked = performance.now()
      const answer = await connection.ask(KEPT)
      note(kept, answer)
      if (asked > signalled + TOLD_MS && answer.status === 200 && !answer.closes) kept.untold++
    }
    connection.close()
  }
  const clients = Array.from({ length: count }, (_, i) => (i % 2 === 0 ? withNew() : withKept()))
  return {
    signal() {
      signalled = performance.now()
    },
    async stop() {
      running = false
      await Promise.all(clients)
      return { fresh, kept }
    },
  }
}

const large = (contextLength) => {
  const body = `{"input_ids":[1],"tail":"pad","position_embedding":"none","context_length":${contextLength}}`
  return head('POST', EMBEDDINGS, { ...JSON_TYPE, ...RAW }, body.length) + body
}
/** The download: 96 MB at about 32 MB a second. */
const DOWNLOAD_ROWS = 93_750
const ROW_BYTES = 1024
const SLICE_MS = 20
const SLICE_BYTES = 640_000

/** Connections that say nothing more, and a download that goes on; `unread`: one that never ends by itself. */
export async function hangingConnections(port, { unread }) {
  const half = head('POST', EMBEDDINGS, JSON_TYPE, 1000)
  const begun = [
    '',
    '',
    'GET /health/live HTTP/1.1\r\nHo',
    half,
    `${half}{"text":"`,
    head('GET', '/health/live'),
    head('GET', '/health/live'),
  ]
  const sockets = begun.map(() => openConnection(port))
  if (unread) sockets.push(openConnection(port).pause())
  await Promise.all(sockets.map(connected))
  for (const [i, bytes] of begun.entries()) sockets[i].resume().write(bytes)
  if (unread) sockets.at(-1).write(large(4_000_000))
  return {
    download: slowDownload(port),
    end() {
      for (const socket of sockets) socket.resetAndDestroy()
    },
  }
}

/** `whole`, or how many bytes came. */
async function slowDownload(port) {
  const socket = openConnection(port, { highWaterMark: SLICE_BYTES })
  socket.write(large(DOWNLOAD_ROWS))
  let bytes = 0
  let ended = false
  socket.on('end', () => {
    ended = true
  })
  socket.on('close', () => {
    ended = true
  })
  let headBytes
  const wanted = () => headBytes + DOWNLOAD_ROWS * ROW_BYTES
  while (!ended && !(headBytes !== undefined && bytes >= wanted())) {
    for (let taken = 0; taken < SLICE_BYTES; ) {
      const chunk = socket.read()
      if (chunk === null) break
      if (headBytes === undefined) headBytes = chunk.indexOf('\r\n\r\n') + 4
      taken += chunk.length
      bytes += chunk.length
    }
    await delay(SLICE_MS)
  }
  socket.resetAndDestroy()
  return headBytes !== undefined && bytes >= wanted() ? 'whole' : `${bytes.toLocaleString('en-US')} bytes`
}
