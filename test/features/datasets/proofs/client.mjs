import { request } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'

/**
 * Sends a request whose body comes from an iterable of buffers: { status, headers, body, ms }; status 0 and `problem` where
 * the connection ended. Never throws.
 */
export async function send(port, path, { method = 'POST', headers = {}, body, agent } = {}) {
  const started = performance.now()
  const outgoing = request({ port, path, method, headers, agent, host: '127.0.0.1' })
  const answered = new Promise((resolve, reject) => {
    outgoing.once('response', resolve)
    outgoing.once('error', reject)
  })
  answered.catch(() => {})
  try {
    if (body === undefined) outgoing.end()
    else pipeline(Readable.from(body, { objectMode: false }), outgoing).catch(() => {}) // refused before its end
    const answer = await answered
    const chunks = []
    for await (const chunk of answer) chunks.push(chunk)
    const ms = performance.now() - started
    return { status: answer.statusCode, headers: answer.headers, body: Buffer.concat(chunks), ms }
  } catch (error) {
    return {
      status: 0,
      headers: {},
      body: Buffer.alloc(0),
      ms: performance.now() - started,
      problem: error.message,
    }
  }
}

/** The answer's JSON. */
export const said = ({ body }) => JSON.parse(body.toString() || 'null')

/** Uploads ids that `make(first, count)` gives, as uint32. */
export function uploadIds(port, tokens, make, query = '', atOnce = 1 << 20) {
  function* parts() {
    for (let first = 0; first < tokens; first += atOnce)
      yield Buffer.from(make(first, Math.min(atOnce, tokens - first)).buffer)
  }
  const headers = { 'Content-Type': 'application/octet-stream', 'Content-Length': 4 * tokens }
  return send(port, `/v1/datasets?dtype=uint32${query}`, { headers, body: parts() })
}

/** The middle and nearly the largest of times. */
export function spread(times) {
  const sorted = [...times].sort((a, b) => a - b)
  const at = (share) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))]
  return { p50: at(0.5), p99: at(0.99), max: sorted.at(-1) }
}
