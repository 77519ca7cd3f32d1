import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { getPriority, setPriority } from 'node:os'
import { performance } from 'node:perf_hooks'
import { setTimeout as delay } from 'node:timers/promises'
import { jsonPost } from './harness/bodies.mjs'
import { call } from './harness/calls.mjs'
import { Expectations, summary } from './harness/expectations.mjs'
import { duration, megabytes, spread, spreadText } from './harness/figures.mjs'
import { coresOf, memoryOf, processorSecondsOf } from './harness/process-state.mjs'
import { drawing } from './harness/random.mjs'
import { rustModels, special } from './harness/rust-models.mjs'
import { end, flagsOf } from './harness/script.mjs'
import { startService } from './harness/service.mjs'
import { smallClients } from './harness/small-clients.mjs'

const HELP = `Abuses of the tokenizers that the Rust library runs, each for some seconds, beside four clients with small texts
for another model.

  node test/attacks/rust-library.mjs [--only given-up|saturation|specials|quadratic|killed]
  INLET_SERVER=/another/build/dist/server.js node test/attacks/rust-library.mjs

given-up: texts of 64 KB whose callers leave after 15 ms. saturation: four times as many texts of 16 KB a second as are
served at most. specials: texts of 40 bytes that name ever other sets of special tokens. quadratic: texts of 60 KB for
a pattern that is. killed: the service is killed meanwhile.

What must hold: the small texts' p99 stays under 5 × what it was alone, none is lost; the memory of all processes stays
under what it was and --grow-mb; a second after the callers left the processes are at rest; at four times saturation
p99 of what is served is under 3 s and the rest is refused with Retry-After; no process outlives the service.`

const flags = flagsOf(HELP, { only: '', seconds: 20, threads: 2, 'grow-mb': 600 })
const SLOWER = 5
/** Milliseconds within which p99 has no meaning on a machine with so few cores. */
const LEAST_MS = 10
const NAMES = ['given-up', 'saturation', 'specials', 'quadratic', 'killed']
if (flags.only === '') {
  // Each in a process of its own, which then steps back behind the service that it has started.
  const codes = NAMES.map((name) => {
    const again = [process.argv[1], ...process.argv.slice(2), '--only', name]
    return spawnSync(process.execPath, again, { stdio: 'inherit' }).status
  })
  process.exit(codes.every((code) => code === 0) ? 0 : 1)
}
const must = new Expectations()
const { upTo } = drawing(1)
const MODELS_DIR = rustModels()
const TOKENIZE = '/v1/tokenize'
const tokenize = (model, text, more) =>
  jsonPost(TOKENIZE, JSON.stringify({ model, text, count_only: true, ...more }))
const letters = (bytes) => String.fromCharCode(...Array.from({ length: bytes }, () => 97 + upTo(26)))

const ABUSES = {
  'given-up': { run: givenUp, restMs: 1000 },
  saturation: { run: saturation, restMs: 2500 },
  specials: { run: specials, restMs: 2500 },
  quadratic: { run: quadratic, restMs: 10_000 },
}
if (flags.only === 'killed') await killed()
else await beside(flags.only, ABUSES[flags.only])
end(must.failures)

function start() {
  return startService({ env: { THREADS: String(flags.threads), MODELS_DIR } })
}

async function beside(name, { run, restMs }) {
  const service = await start()
  for (const model of ['small', 'abused', 'large', 'quadratic']) await service.call(tokenize(model, 'a b'))
  const small = smallClients(service.port, { count: 4, model: 'small' })
  setPriority(Math.min(19, getPriority() + 5)) // the service, not its clients, is to be at its bounds
  await small.start()
  await delay(1000)
  await small.stop() // warm
  await small.start()
  await delay(8000)
  const alone = await small.stop()
  const family = () => [service.pid, ...descendants(service.pid)]
  const before = memory(family())
  let most = 0
  const look = setInterval(() => {
    most = Math.max(most, memory(family()))
  }, 50)
  const coresBefore = family().map((pid) => [pid, coresOf(pid)])
  await small.start()
  const answers = await run(service)
  const met = await small.stop()
  small.end()
  const restedMs = await rest(family)
  clearInterval(look)
  const lost = Object.values(met.lost).reduce((sum, count) => sum + count, 0)
  console.log(`${name}: small texts alone ${spreadText(alone)}
  beside ${spreadText(met)}, lost ${lost} ${JSON.stringify(met.lost)}
  ${coresText(coresBefore, service.pid)}
  memory ${megabytes(before)} → ${megabytes(most)} MB; busy for ${duration(restedMs)} afterwards; ${summary(answers)}`)
  must.atMost(`${name}: small texts’ p99`, met.p99, Math.max(LEAST_MS, alone.p99 * SLOWER), 'ms')
  must.that(lost === 0, `${name}: no small text must be lost: ${lost}`)
  must.atMost(`${name}: memory`, (most - before) / 1e6, flags['grow-mb'], 'MB')
  must.atMost(`${name}: rest afterwards`, restedMs, restMs, 'ms')
  must.busyIsPolite(answers)
  service.kill()
}

/** How the cores were shared: what each process took of them, and how long its threads waited for each turn. */
function coresText(before, service) {
  const shares = before.map(([pid, then]) => {
    const now = coresOf(pid)
    const turns = now.turns - then.turns
    return {
      name: pid === service ? 'the service' : `process ${pid}`,
      ranMs: now.ranMs - then.ranMs,
      waitMs: turns > 0 ? (now.waitedMs - then.waitedMs) / turns : 0,
    }
  })
  const total = shares.reduce((sum, { ranMs }) => sum + ranMs, 0)
  const told = shares.filter(({ ranMs }) => ranMs / total > 0.005)
  return told
    .map(
      ({ name, ranMs, waitMs }) =>
        `${name}: ${Math.round((100 * ranMs) / total)} % of the time on cores, ${waitMs.toFixed(2)} ms waited for each turn`,
    )
    .join('; ')
}

/** How long the processes went on before they were at rest. */
async function rest(family) {
  const started = performance.now()
  for (;;) {
    const before = processorSeconds(family())
    await delay(250)
    const load = (processorSeconds(family()) - before) / 0.25
    const restedMs = performance.now() - started - 250
    if (load < 0.2 || restedMs > 90_000) return Math.max(0, restedMs)
  }
}

/** So many requests a second, at even distances. */
async function flood(service, rate, request, options = {}) {
  const pending = []
  const started = performance.now()
  for (let sent = 0; sent < rate * flags.seconds; ) {
    const due = Math.min(rate * flags.seconds, ((performance.now() - started) * rate) / 1000)
    for (; sent < due; sent++) pending.push(call(service.port, { ...request(sent), ...options }))
    await delay(5)
  }
  return Promise.all(pending)
}

async function givenUp(service) {
  const text = tokenize('abused', 'some words of '.repeat(4681))
  return flood(service, 150, () => text, { leaveAfterMs: 15 })
}

async function saturation(service) {
  const text = tokenize('abused', letters(16_384))
  const served = async (clients) => {
    let count = 0
    const until = performance.now() + 3000
    const one = async () => {
      while (performance.now() < until) if ((await call(service.port, text)).status === 200) count++
    }
    await Promise.all(Array.from({ length: clients }, one))
    return count / 3
  }
  const most = Math.max(await served(2), await served(4))
  const answers = await flood(service, 4 * most, () => text)
  const times = (status) => spread(answers.filter((answer) => answer.status === status).map(({ ms }) => ms))
  const good = times(200)
  const perSecond = good.count / flags.seconds
  console.log(
    `  ${perSecond.toFixed(1)} served a second of ${most.toFixed(1)}; served: ${spreadText(good)}; refused: ${spreadText(times(503))}`,
  )
  must.atMost('saturation: p99 of what is served', good.p99, 3000, 'ms')
  return answers
}

async function specials(service) {
  const one = () => special(upTo(100))
  const request = () => {
    const [a, b, c] = [one(), one(), one()]
    return tokenize('large', `${a} ${b}`, { allowed_special: [b, c] })
  }
  return flood(service, 10, request)
}

async function quadratic(service) {
  const text = tokenize('quadratic', 'x'.repeat(60_000))
  const four = () =>
    Promise.all([0, 1, 2, 3].map(() => call(service.port, { ...text, leaveAfterMs: 1000 * flags.seconds })))
  return four()
}

async function killed() {
  const service = await start()
  await service.call(tokenize('quadratic', 'a b'))
  void call(service.port, tokenize('quadratic', 'x'.repeat(60_000)))
  await delay(1000)
  const processes = descendants(service.pid)
  service.kill()
  await service.exited
  const started = performance.now()
  const alive = () => processes.filter((pid) => memoryOf(pid) !== undefined)
  while (alive().length > 0 && performance.now() - started < 60_000) await delay(50)
  const ms = performance.now() - started
  console.log(`killed: ${processes.length} processes ended within ${duration(ms)}`)
  must.atMost('killed: the end of its processes', ms, 2000, 'ms')
}

function memory(pids) {
  return pids.reduce((sum, pid) => sum + (memoryOf(pid)?.rss ?? 0), 0)
}

function processorSeconds(pids) {
  return pids.reduce((sum, pid) => sum + (processorSecondsOf(pid) ?? 0), 0)
}

/** The processes that a process has started, and those that they have. */
function descendants(pid) {
  const parents = new Map()
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'latin1')
      parents.set(Number(name), Number(stat.slice(stat.lastIndexOf(')') + 4).split(' ')[0]))
    } catch {} // it has ended
  }
  const found = []
  for (const [child, parent] of parents) if (parent === pid) found.push(child)
  return found.flatMap((child) => [child, ...descendants(child)])
}
