import { createHash } from 'node:crypto'
import { getPriority, setPriority } from 'node:os'
import { performance } from 'node:perf_hooks'
import { setTimeout as delay } from 'node:timers/promises'
import { table } from '../bench/harness/text.mjs'
import { Expectations } from './harness/expectations.mjs'
import { megabytes } from './harness/figures.mjs'
import { ADMIN_KEY, mixedKinds } from './harness/mixed-kinds.mjs'
import { modelsFolder } from './harness/models-folder.mjs'
import { memoryOf } from './harness/process-state.mjs'
import { drawing } from './harness/random.mjs'
import { end, flagsOf } from './harness/script.mjs'
import { SERVER, startService } from './harness/service.mjs'

const HELP = `Sixteen clients that ask for everything that the service has, one request after the other, at saturation for ten
minutes, on kept and new connections; beside them an operator makes, exchanges and deletes a model.

  node test/attacks/mixed-load.mjs [--minutes 10] [--clients 16]
  INLET_SERVER=/another/build/dist/server.js node test/attacks/mixed-load.mjs

What must hold: each answer is 200, and has the same bytes each time; the service's memory is flat from the second
minute on: no later minute's median is more than --growth percent above it.`

const flags = flagsOf(HELP, { minutes: 10, clients: 16, threads: 2, seed: 1, growth: 5 })
const must = new Expectations()
const { upTo } = drawing(flags.seed)
const kinds = Object.entries(mixedKinds())
const service = await startService({
  env: { THREADS: String(flags.threads), MODELS_DIR: modelsFolder(), ADMIN_KEY, EMBEDDING_DIM: '256' },
})
const origin = `http://127.0.0.1:${service.port}`
/** Kind → how many were answered, and the digest of the answer. */
const seen = new Map(kinds.map(([name]) => [name, { count: 0, digest: undefined }]))
const unexpected = new Map()
const minutes = []

console.log(SERVER)
setPriority(Math.max(getPriority(), 5)) // the service, not its clients, is to be saturated
const until = performance.now() + flags.minutes * 60_000
const watch = watchMemory()
await Promise.all([...Array.from({ length: flags.clients }, (_, i) => client(i % 2 === 0)), operator()])
await watch
report()
service.kill()
end(must.failures)

/** @param keeps whether the connection serves the next request too */
async function client(keeps) {
  while (performance.now() < until && !service.ended) {
    const [name, request] = kinds[upTo(kinds.length)]
    const digest = await answerOf(name, request, keeps ? {} : { connection: 'close' })
    const known = seen.get(name)
    known.count++
    known.digest ??= digest
    if (digest !== undefined && digest !== known.digest) wrong(`${name}: other bytes than before`)
  }
}

/** The digest of the answer's body; undefined where it is not what was asked for. */
async function answerOf(name, { path, method = 'POST', headers, body }, more) {
  try {
    const answer = await fetch(origin + path, { method, body, headers: { ...headers, ...more } })
    const bytes = new Uint8Array(await answer.arrayBuffer())
    if (answer.ok) return createHash('sha256').update(bytes).digest('hex')
    wrong(`${name}: ${answer.status} ${Buffer.from(bytes).toString('latin1').slice(0, 200)}`)
  } catch (error) {
    wrong(`${name}: ${error.cause ?? error}`)
  }
  return undefined
}

/** Makes a model, exchanges its tables and deletes it, again and again. */
async function operator() {
  const json = { 'content-type': 'application/json', authorization: `Bearer ${ADMIN_KEY}` }
  const file = { ...json, 'content-type': 'application/vnd.safetensors' }
  const at = '/v1/models/another'
  while (performance.now() < until && !service.ended) {
    const card = JSON.stringify({ embedding_dim: 16, seed: upTo(1000) })
    await answerOf('make a model', { path: at, method: 'PUT', headers: json, body: card }, {})
    const tables = await fetch(`${origin}${at}/tables`, { headers: json })
    const bytes = await tables.arrayBuffer()
    for (let i = 0; i < 5; i++) {
      await answerOf('exchange', { path: `${at}/tables`, method: 'PUT', headers: file, body: bytes }, {})
      await delay(200)
    }
    await answerOf('delete', { path: at, method: 'DELETE', headers: json }, {})
  }
}

function wrong(what) {
  unexpected.set(what, (unexpected.get(what) ?? 0) + 1)
}

/** Each minute's resident memory, looked at every second. */
async function watchMemory() {
  let looked = []
  while (performance.now() < until && !service.ended) {
    await delay(1000)
    const memory = memoryOf(service.pid)
    if (memory !== undefined) looked.push(memory.rss)
    if (looked.length < 60) continue
    looked.sort((a, b) => a - b)
    minutes.push({ middle: looked[30], most: looked[59] })
    console.log(
      `minute ${minutes.length}: ${megabytes(looked[30])} MB, at most ${megabytes(looked[59])} MB, ${answered()} answers`,
    )
    looked = []
  }
}

function answered() {
  return [...seen.values()].reduce((sum, { count }) => sum + count, 0)
}

function report() {
  const rows = [...seen].map(([name, { count }]) => [name, count])
  console.log(`\n${table(['what was asked for', 'answers'], rows)}\n`)
  for (const [what, count] of unexpected) console.log(`${count} × ${what}`)
  must.that(!service.ended, 'the service must not end')
  must.that(
    unexpected.size === 0,
    `no answer must be unexpected: ${[...unexpected.values()].reduce((a, b) => a + b, 0)}`,
  )
  const [, second, ...later] = minutes
  if (second === undefined || later.length === 0) return console.log('too short to say anything of memory')
  const most = Math.max(...later.map(({ middle }) => middle))
  must.atMost(
    'memory after the second minute, of its own',
    (100 * most) / second.middle,
    100 + flags.growth,
    '%',
  )
}
