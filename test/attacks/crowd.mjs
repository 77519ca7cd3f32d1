import { getPriority, setPriority } from 'node:os'
import { performance } from 'node:perf_hooks'
import { setTimeout as delay } from 'node:timers/promises'
import { table } from '../bench/harness/text.mjs'
import { call } from './harness/calls.mjs'
import { crowdKinds } from './harness/crowd-kinds.mjs'
import { Expectations, summary } from './harness/expectations.mjs'
import { duration, megabytes, spreadText } from './harness/figures.mjs'
import { refusalsBetween, scrape, turnsBetween } from './harness/metrics.mjs'
import { startProbe } from './harness/probe.mjs'
import { memoryOf } from './harness/process-state.mjs'
import { end, flagsOf } from './harness/script.mjs'
import { SERVER, startService } from './harness/service.mjs'
import { smallClients } from './harness/small-clients.mjs'

const HELP = `Five hundred clients that each want the largest thing allowed, of every kind at once, for two minutes; beside
them eight clients with small requests. MAX_BYTES_IN_FLIGHT is 512 MiB.

  node test/attacks/crowd.mjs [--seconds 120] [--clients 500]
  INLET_SERVER=/another/build/dist/server.js node test/attacks/crowd.mjs

What must hold: resident memory stays under the tables and 1 GiB; who is refused is told 503 with Retry-After, or the
limit's own error; the small requests' p99 stays under 5 × what it was alone, none is lost; half a minute afterwards the
memory is within 100 MB of what it was.`

const GIB = 2 ** 30
const KEPT_BYTES = 100e6
const SLOWER = 5
/** Who is refused comes again as it is told, but not later than this. */
const MOST_PAUSE_MS = 2000

const flags = flagsOf(HELP, {
  seconds: 120,
  clients: 500,
  small: 8,
  idle: 10,
  after: 30,
  threads: 2,
  'cap-mb': 6000,
})
const must = new Expectations()
console.log(SERVER)
const service = await startService({
  env: { THREADS: String(flags.threads), MAX_BYTES_IN_FLIGHT: String(GIB / 2) },
})
const { port, pid } = service
const small = smallClients(port, { count: flags.small })

await small.start()
await delay(flags.idle * 1000)
const alone = await small.stop()
console.log(`small requests alone: ${spreadText(alone)}`)
const before = await scrape(port)
const tables = [...before].reduce(
  (sum, [name, bytes]) => (name.startsWith('inlet_table_bytes') ? sum + bytes : sum),
  0,
)
const idle = memoryOf(pid).rss

const probe = await startProbe(service, flags['cap-mb'] * 1e6)
await small.start()
// The crowd steps back where the service wants the processor: on one machine it would attack the scheduler instead.
setPriority(Math.max(getPriority(), 10))
const seen = await crowd()
const beside = service.ended ? undefined : await small.stop()
small.end()
const found = await probe.stop()
const back = await memoryAfter()
const after = service.ended ? undefined : await scrape(port)
report()
service.kill()
end(must.failures)

/** All clients until the time is over: kind → what was answered. */
async function crowd() {
  const kinds = Object.entries(crowdKinds())
  const answers = new Map(kinds.map(([name]) => [name, []]))
  const until = performance.now() + flags.seconds * 1000
  let next = 0
  const client = async (number) => {
    await delay(Math.random() * 1000)
    for (let round = number; performance.now() < until && !service.ended; round++) {
      const [name, make] = kinds[round % kinds.length]
      const left = until - performance.now()
      const request = make(next++)
      const answer = await call(port, {
        ...request,
        leaveAfterMs: Math.min(left, request.leaveAfterMs ?? left),
      })
      const { status, code, headers, problem, ms, bytes } = answer
      answers.get(name).push({ status, code, headers, problem, ms, bytes })
      const told = Number(headers['retry-after'] ?? 0) * 1000
      if (status >= 400) await delay(Math.min(told, MOST_PAUSE_MS) + Math.random() * 100)
    }
  }
  await Promise.all(Array.from({ length: flags.clients }, (_, i) => client(i)))
  return answers
}

async function memoryAfter() {
  for (let second = 0; second < flags.after; second++) {
    const memory = memoryOf(pid)
    if (memory === undefined || memory.rss - idle < KEPT_BYTES) return { second, rss: memory?.rss }
    await delay(1000)
  }
  return { second: flags.after, rss: memoryOf(pid)?.rss }
}

function report() {
  const rows = [...seen].map(([name, answers]) => [name, summary(answers)])
  console.log(`\n${table(['what was wanted', 'what came'], rows)}\n`)
  console.log(
    `memory: idle ${megabytes(idle)} MB, at most ${megabytes(found.rssPeak)} MB, ${back.second} s afterwards ${megabytes(back.rss)} MB (tables ${megabytes(tables)} MB)`,
  )
  console.log(`/health/live: ${spreadText(found.live)}, ${found.live.failed} failed`)
  console.log(
    `small requests beside: ${beside ? `${spreadText(beside)}, lost ${JSON.stringify(beside.lost)}` : '–'}`,
  )
  const turns = turnsBetween(before, after)
  console.log(
    `longest turn ${duration(turns.longestMs)}, ${turns.over10 ?? '?'} over 10 ms; refused ${JSON.stringify(refusalsBetween(before, after))}`,
  )

  const all = [...seen.values()].flat()
  // Whose time was over has left: that is no answer, and no fault.
  const answered = all.filter(({ problem }) => problem !== 'left')
  must.that(!found.capped, `memory must stay below the cap: ended at ${megabytes(found.rssPeak)} MB`)
  must.that(!service.ended, 'the service must not end')
  must.atMost('resident memory', found.rssPeak / 1e6, Math.round((tables + GIB) / 1e6), 'MB')
  must.answeredOrRefused(answered, ['200', '4xx'])
  must.atMost('/health/live p99', found.live.p99, 100, 'ms')
  must.atMost('memory kept', (back.rss - idle) / 1e6, KEPT_BYTES / 1e6, 'MB')
  must.atMost('small requests’ p99', beside?.p99, Math.round(alone.p99 * SLOWER * 10) / 10, 'ms')
  const lost = Object.values(beside?.lost ?? {}).reduce((sum, count) => sum + count, 0)
  must.that(beside !== undefined && lost === 0, `no small request must be lost: ${lost}`)
}
