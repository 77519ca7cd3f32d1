import { createHash } from 'node:crypto'
import { Agent, createServer, request } from 'node:http'
import { end, flagsOf } from '../../attacks/harness/script.mjs'
import { startService } from '../../attacks/harness/service.mjs'
import { begin, KEY, safetensors } from './trainer.mjs'

const flags = flagsOf(
  `A step over loopback beside the same bytes to a server that only reads them, by turns; readers alone, and beside a
writer at full speed: their p99, that versions only grow, that each answer is one version's, and the memory.

  npm run build && node test/learning/proofs/serving.mjs [--optimizer adamw]`,
  { optimizer: 'sparse_adam', steps: 60, readers: 32, seconds: 10, threads: 2 },
)
const [B, T, C] = [8, 256, 256]
const MODEL = 'learns'
const failures = []
const agent = new Agent({ keepAlive: true, maxSockets: flags.readers + 4 })

/** One request on a kept connection: { status, headers, body, ms }. */
function send(port, path, { method = 'POST', headers = {}, body } = {}) {
  return new Promise((resolve, reject) => {
    const started = performance.now()
    const all = { authorization: `Bearer ${KEY}`, ...headers }
    const sent = request({ host: '127.0.0.1', port, path, method, headers: all, agent }, (answer) => {
      const chunks = []
      answer.on('data', (chunk) => chunks.push(chunk))
      answer.on('end', () => {
        const { statusCode: status, headers: given } = answer
        resolve({ status, headers: given, body: Buffer.concat(chunks), ms: performance.now() - started })
      })
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

const sorted = (numbers) => [...numbers].sort((a, b) => a - b)
const at = (numbers, share) =>
  sorted(numbers)[Math.min(numbers.length - 1, Math.floor(share * numbers.length))]
const shown = (ms) => `${ms.toFixed(1)} ms`

const env = { ADMIN_KEY: KEY, THREADS: String(flags.threads), MAX_BYTES_IN_FLIGHT: String(2 ** 30) }
const service = await startService({ env })
const { port } = service
await begin(
  port,
  MODEL,
  { type: flags.optimizer, lr: 0.01 },
  { embedding_dim: C, max_position_embeddings: T },
)
const plain = createServer((asked, answer) => asked.resume().on('end', () => answer.end('{}')))
await new Promise((resolve) => plain.listen(0, '127.0.0.1', resolve))

let sequence = 0
const gradients = () => {
  const ids = Int32Array.from({ length: B * T }, () => Math.floor(Math.random() * 50_257))
  const numbers = Float32Array.from({ length: B * T * C }, () => Math.random() - 0.5)
  return safetensors({
    gradients: { dtype: 'F32', shape: [B, T, C], bytes: Buffer.from(numbers.buffer) },
    input_ids: { dtype: 'I32', shape: [B, T], bytes: Buffer.from(ids.buffer) },
  })
}
async function call(what, body, type) {
  const headers = { 'content-type': type, 'x-sequence': String(++sequence) }
  const answer = await send(port, `/v1/models/${MODEL}/${what}`, { headers, body })
  if (answer.status !== 200) throw new Error(`${what}: ${answer.status} ${answer.body}`)
  return answer
}
const bodies = Array.from({ length: 8 }, gradients)
const taken = { gradients: [], step: [], bytes: [] }
for (let i = 0; i < flags.steps; i++) {
  const body = bodies[i % bodies.length]
  taken.bytes.push((await send(plain.address().port, '/', { body })).ms)
  taken.gradients.push((await call('gradients', body, 'application/vnd.safetensors')).ms)
  taken.step.push((await call('steps', '{}', 'application/json')).ms)
}
const middle = (name) => at(taken[name], 0.5)
console.log(
  `${flags.optimizer}, [${B}, ${T}, ${C}] float32, medians of ${flags.steps}: gradients ${shown(middle('gradients'))}, step ${shown(middle('step'))}; the same bytes to a plain server ${shown(middle('bytes'))}: a step over HTTP is the bytes’ own time and ${shown(middle('gradients') + middle('step') - middle('bytes'))}`,
)

/** The rows that readers ask for: with each answer's version, the digest of its rows. */
const asked = JSON.stringify({
  model: MODEL,
  input_ids: Array.from({ length: 256 }, (_, i) => i * 190),
  outputs: ['token_embeddings'],
})
const digests = new Map()
async function read(until, times) {
  let last = 0
  while (performance.now() < until) {
    const headers = { 'content-type': 'application/json', accept: 'application/octet-stream' }
    const {
      status,
      headers: given,
      body,
      ms,
    } = await send(port, '/v1/input-embeddings', { headers, body: asked })
    times.push(ms)
    const version = Number(given['x-model-version'])
    const digest = createHash('sha256').update(body).digest('hex')
    if (status !== 200) failures.push(`a reader got ${status}`)
    if (version < last) failures.push(`version ${version} after ${last}`)
    if ((digests.get(version) ?? digest) !== digest) failures.push(`two answers of version ${version} differ`)
    digests.set(version, digest)
    last = version
  }
}
async function readers() {
  const until = performance.now() + 1000 * flags.seconds
  const times = []
  await Promise.all(Array.from({ length: flags.readers }, () => read(until, times)))
  return times
}
const rss = async () => {
  const { body } = await send(port, '/metrics', { method: 'GET' })
  return Number(/^process_resident_memory_bytes (\S+)/m.exec(body)[1]) / 2 ** 20
}
const alone = await readers()
const before = await rss()
let isOver = false
let steps = 0
const writing = (async () => {
  while (!isOver) {
    await call('gradients', bodies[steps++ % bodies.length], 'application/vnd.safetensors')
    await call('steps', '{}', 'application/json')
  }
})()
const beside = await readers()
isOver = true
await writing
const after = await rss()
console.log(
  `${flags.readers} readers of ${asked.length} bytes for [256, ${C}] rows: p50 ${shown(at(alone, 0.5))}, p99 ${shown(at(alone, 0.99))} alone; ${shown(at(beside, 0.5))}, ${shown(at(beside, 0.99))} beside ${steps} steps (${(at(beside, 0.99) / at(alone, 0.99)).toFixed(2)} ×); ${digests.size} versions seen; resident ${Math.round(before)} → ${Math.round(after)} MiB`,
)
plain.close()
agent.destroy()
service.kill()
await service.exited
end(failures)
