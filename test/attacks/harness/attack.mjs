import { performance } from 'node:perf_hooks'
import { setTimeout as delay } from 'node:timers/promises'
import { EMBEDDINGS, jsonPost, MIB } from './bodies.mjs'
import { Expectations, summary } from './expectations.mjs'
import { duration, megabytes } from './figures.mjs'
import { refusalsBetween, scrape, turnsBetween } from './metrics.mjs'
import { startProbe } from './probe.mjs'
import { memoryOf, processorSecondsOf } from './process-state.mjs'
import { startService } from './service.mjs'

/** What holds in every attack that does not say otherwise with `bounds`; undefined: not looked at. */
export const BOUNDS = {
  /** Longest turn of an event loop, by the service's own measure. */
  turnMs: 10,
  /** `/health/live` from outside, p99. */
  liveMs: 100,
  /** Resident memory at its peak: the tables, the idle process and twice the ledger's 512 MiB. */
  rssBytes: 1200 * MIB,
  /** Resident memory after `SETTLE_MS` of rest, above what it was before. */
  keptBytes: 600 * MIB,
}

/** An attack that takes longer is over: the service is ended, and the row says so. */
const LIMIT_MS = 90_000
const SETTLE_MS = 3000
/** An error says what is wrong, and does not repeat a body. */
const MOST_ERROR_BYTES = 16_384
const SMALL = jsonPost(
  EMBEDDINGS,
  '{"text":"Hello, world! This is the first layer.","context_length":4,"outputs":["input_ids"]}',
)
const SMALL_ANSWER = '[[15496,11,995,0],[770,318,262,717]]'

/**
 * Runs one variant of an attack against a service of its own.
 *
 * @param attack a module: { name, about, variants, prepare(variant), send(service, prepared), expect(seen, must,
 *   variant), env, stdout, bounds, limitMs, quick }. What is dear to make is made by `prepare`, not measured; without
 *   it `send` takes the variant. `send` gives { answers, … }, and `service.ended` may be true after it where the attack is on the end itself.
 * @param label one of `variants`
 * @param options { bounds, capBytes, env } in place of the attack's own
 * @returns { name, seen, failures, row }
 */
export async function runAttack(attack, label, options = {}) {
  const variant = attack.variants?.[label]
  const name = label === undefined ? attack.name : `${attack.name}/${label}`
  const bounds = { ...BOUNDS, ...attack.bounds, ...variant?.bounds, ...options.bounds }
  const must = new Expectations()
  const prepared = attack.prepare?.(variant) ?? variant
  const service = await startService({
    env: { ...attack.env, ...variant?.env, ...options.env },
    stdout: attack.stdout?.(variant),
  })
  try {
    const seen = await measured(service, attack, { variant, prepared }, options)
    judge(seen, bounds, must)
    if (!seen.capped && !seen.overdue) attack.expect?.(seen, must, variant)
    return { name, seen, failures: must.failures }
  } finally {
    service.kill()
    await service.exited
  }
}

async function measured(service, attack, { variant, prepared }, { capBytes }) {
  for (let i = 0; i < 20; i++) await service.call(SMALL)
  const before = await scrape(service.port)
  const idleRss = memoryOf(service.pid)?.rss
  const idleSeconds = processorSecondsOf(service.pid)
  const probe = await startProbe(service, capBytes)
  const started = performance.now()
  const limit = endAfter(service, variant?.limitMs ?? attack.limitMs ?? LIMIT_MS)
  const sent = await attack.send(service, prepared)
  const ms = performance.now() - started
  const overdue = limit.reached
  limit.end()
  const busySeconds = (processorSecondsOf(service.pid) ?? Number.NaN) - idleSeconds
  if (service.ended) {
    return { ...sent, ...(await probe.stop()), service, ms, overdue, idleRss, busySeconds, wentDown: true }
  }
  const rest = endAfter(service, LIMIT_MS)
  const turns = turnsBetween(before, await scrape(service.port))
  const found = await probe.stop()
  if (!service.ended) await delay(SETTLE_MS)
  const small = await service.call(SMALL)
  const after = await scrape(service.port)
  const rssAfter = memoryOf(service.pid)?.rss
  const refusals = refusalsBetween(before, after)
  const wentDown = service.ended
  rest.end()
  const state = {
    ms,
    overdue: overdue || rest.reached,
    idleRss,
    rssAfter,
    busySeconds,
    wentDown,
    refusals,
    after,
    small,
  }
  return { ...sent, ...found, ...turns, ...state, service }
}

/** Ends the service where what is awaited of it does not come: everything that waits for it then goes on. */
function endAfter(service, limitMs) {
  const limit = { reached: false, end: () => clearTimeout(timer) }
  const timer = setTimeout(() => {
    limit.reached = true
    service.kill()
  }, limitMs)
  return limit
}

/** What every attack is judged by. */
function judge(seen, bounds, must) {
  const { capped, overdue, wentDown, endsIt, service } = seen
  must.that(!capped, `memory must stay below the cap: ended at ${megabytes(seen.rssPeak)} MB`)
  must.that(!overdue, 'must be over in time, and answer /metrics then: ended by the attacker')
  must.that(service.errors() === '', `standard error must stay empty: ${service.errors().slice(0, 300)}`)
  if (capped || overdue) return
  must.that(!wentDown || endsIt, 'the service must not end')
  const { answers = [] } = seen
  const defects = answers.filter(({ status }) => status >= 500 && status !== 503 && status !== 504)
  must.that(defects.length === 0, `must not answer ${summary(defects)}`)
  const long = answers.filter(({ status, bytes }) => status >= 400 && bytes > MOST_ERROR_BYTES)
  must.that(long.length === 0, `an error must be short: ${long[0]?.bytes.toLocaleString('en-US')} bytes`)
  must.atMost('resident memory', seen.rssPeak / MIB, bounds.rssBytes / MIB, 'MiB')
  if (wentDown) return
  if (bounds.liveMs !== undefined) {
    must.atMost('/health/live p99', seen.live.p99, bounds.liveMs, 'ms')
    must.that(seen.live.failed === 0, `/health/live must answer 200 each time: ${seen.live.failed} did not`)
  }
  if (bounds.turnMs !== undefined) must.atMost('the longest turn', seen.longestMs, bounds.turnMs, 'ms')
  must.atMost('memory kept', (seen.rssAfter - seen.idleRss) / MIB, bounds.keptBytes / MIB, 'MiB')
  const said = seen.small?.body.toString() ?? ''
  must.that(
    said.includes(SMALL_ANSWER),
    `a small request afterwards must be answered: ${summary([seen.small])}`,
  )
}

export const HEAD = [
  'attack',
  'answered',
  'time',
  'longest turn',
  'over 10 ms',
  'live p50',
  'live p99',
  'live max',
  'RSS before',
  'RSS peak',
  'RSS after',
]

/** A row of the table: times as said, memory in MB. */
export function rowOf({ name, seen }) {
  const { answers = [], capped, overdue, ms, live = {} } = seen
  const end = capped ? ' (ended: memory)' : overdue ? ' (ended: time)' : ''
  return [
    name,
    (seen.said ?? summary(answers)) + end,
    duration(ms),
    duration(seen.longestMs),
    seen.over10 ?? '–',
    duration(live.p50),
    duration(live.p99),
    duration(live.max),
    megabytes(seen.idleRss),
    megabytes(seen.rssPeak),
    megabytes(seen.rssAfter),
  ]
}
