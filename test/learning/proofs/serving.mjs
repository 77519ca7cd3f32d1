import { createHash } from 'node:crypto'
import { Agent, createServer, request } from 'node:http'
import { end, flagsOf } from '../../attacks/harness/script.mjs'
import { startService } from '../../attacks/harness/service.mjs'
import { begin, KEY, safetensors } from './trainer.mjs'

const build = (path) => import(new URL(`../../../build/src/${path}`, import.meta.url).href)
const { newLearner } = await build('first-layer/learning/new-learner.js')
const { run } = await build('first-layer/steps.js')
const { gradientCall } = await build('learning/gradient-body.js')

const flags = flagsOf(
  `A step over loopback beside the same bytes to a server that only reads them, one that hashes them, and the kernels
alone, by turns; readers alone, and beside a
writer at full speed: their p99, that versions only grow, that each answer is one version's, and the memory.

  npm run build && npm run build:modules && node test/learning/proofs/serving.mjs [--optimizer adamw] [--share 0.1]   the share of the rounds that are faster: default 0.5`,
  { optimizer: 'sparse_adam', steps: 60, share: 0.5, readers: 32, seconds: 10, threads: 2 },
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
/** Reads what comes. */
const plain = createServer((asked, answer) => asked.resume().on('end', () => answer.end('{}')))
/** Gathers it and digests it, as every server must that answers the same call twice with one answer. */
const hashing = createServer((asked, answer) => {
  const body = Buffer.allocUnsafe(Number(asked.headers['content-length']))
  const digest = createHash('sha256')
  let at = 0
  asked.on('data', (chunk) => {
    digest.update(chunk)
    at += chunk.copy(body, at)
  })
  asked.on('end', () => answer.end(digest.digest('hex')))
})
for (const server of [plain, hashing]) await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))

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
const taken = { gradients: [], step: [], bytes: [], hashed: [], empty: [], sums: [], update: [] }
const kernels = bareKernels()
for (let i = 0; i < flags.steps; i++) {
  const body = bodies[i % bodies.length]
  taken.bytes.push((await send(plain.address().port, '/', { body })).ms)
  taken.hashed.push((await send(hashing.address().port, '/', { body })).ms)
  taken.empty.push((await send(plain.address().port, '/', { body: '{}' })).ms)
  kernels(body)
  taken.gradients.push((await call('gradients', body, 'application/vnd.safetensors')).ms)
  taken.step.push((await call('steps', '{}', 'application/json')).ms)
}
const middle = (name) => at(taken[name], flags.share)
console.log(
  `${flags.optimizer}, [${B}, ${T}, ${C}] float32, ${flags.share} of ${flags.steps} are faster: gradients ${shown(middle('gradients'))}, step ${shown(middle('step'))}; the same bytes to a plain server ${shown(middle('bytes'))}: a step over HTTP is the bytes’ own time and ${shown(middle('gradients') + middle('step') - middle('bytes'))}`,
)
const limit = ['hashed', 'empty', 'sums', 'update'].reduce((sum, name) => sum + middle(name), 0)
console.log(
  `the limit on this machine, in the same rounds: the bytes received and hashed by Node alone ${shown(middle('hashed'))}, an empty request ${shown(middle('empty'))}, the kernels in this process ${shown(middle('sums'))} for sums and ${shown(middle('update'))} for the step: the bytes’ own time and ${shown(limit - middle('bytes'))}`,
)

/** The same sums and steps in this process, with nothing around them: a function that takes a body. */
function bareKernels() {
  const tables = [
    { name: 'wte.weight', rows: 50_257, dim: C },
    { name: 'wpe.weight', rows: T, dim: C },
  ]
  const learner = newLearner({ type: flags.optimizer, lr: 0.01 }, tables)
  for (const table of learner.tables) table.numbers().fill(0.5)
  run(learner.begin())
  return (body) => {
    const gradients = gradientCall(body, {})
    const begun = performance.now()
    run(learner.gradients(gradients))
    const summed = performance.now()
    run(learner.apply())
    taken.sums.push(summed - begun)
    taken.update.push(performance.now() - summed)
  }
}

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
hashing.close()
agent.destroy()
service.kill()
await service.exited
end(failures)
