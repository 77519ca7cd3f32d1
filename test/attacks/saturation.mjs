import { getPriority, setPriority } from 'node:os'
import { performance } from 'node:perf_hooks'
import { setTimeout as delay } from 'node:timers/promises'
import { median } from '../bench/harness/rounds.mjs'
import { EMBEDDINGS, jsonPost, RAW, textPost } from './harness/bodies.mjs'
import { call } from './harness/calls.mjs'
import { Expectations, summary } from './harness/expectations.mjs'
import { spread, spreadText } from './harness/figures.mjs'
import { processorSecondsOf } from './harness/process-state.mjs'
import { drawing } from './harness/random.mjs'
import { end, flagsOf } from './harness/script.mjs'
import { SERVER, startService } from './harness/service.mjs'

const HELP = `Finds the load that saturates the service (ever more clients, each with one request at a time, until no more are
served a second), then offers four times as many requests a second, whether they are answered or not; in turn with saturation, since a
machine that others use too is not as fast at all times: medians of the rounds are compared.

  node test/attacks/saturation.mjs [--kind text|json|large] [--rounds 5] [--seconds 8] [--times 4]
  INLET_SERVER=/another/build/dist/server.js node test/attacks/saturation.mjs

--kind text: 1 MB of random letters as raw text; json: the same in a JSON body; large: 8 MiB answers.

What must hold: three quarters as many served a second as at saturation (--noise percent less); p99 of what is served under
QUEUE_TIMEOUT_MS (2,000) + 1 s; the rest refused, within that time too, with 503 and Retry-After; none without an answer.`

const QUEUE_TIMEOUT_MS = 2000
const LETTERS = 1_048_576
/** More clients that serve less than this share more: saturated. */
const MORE = 1.05
const DRAIN_MS = 90_000
/** From the first request until as many wait as may: the time that one may wait. */
const FILLING_MS = QUEUE_TIMEOUT_MS

const flags = flagsOf(HELP, {
  kind: 'text',
  rounds: 5,
  seconds: 8,
  'step-seconds': 4,
  times: 4,
  threads: 2,
  noise: 25,
  'cap-mb': 6000,
})
const must = new Expectations()
const { upTo } = drawing(1)
const letters = Buffer.from(Array.from({ length: LETTERS }, () => 97 + upTo(26)))
const KINDS = {
  text: textPost('context_length=1024&outputs=window_starts', letters, RAW),
  json: {
    ...jsonPost(EMBEDDINGS, `{"context_length":1024,"outputs":["window_starts"],"text":"${letters}"}`),
  },
  large: {
    ...jsonPost(
      EMBEDDINGS,
      '{"input_ids":[1],"tail":"pad","context_length":8192,"position_embedding":"none"}',
    ),
    headers: { 'Content-Type': 'application/json', ...RAW },
  },
}
const request = KINDS[flags.kind]

console.log(`${SERVER}, ${flags.kind}`)
const service = await startService({ env: { THREADS: String(flags.threads) } })
setPriority(Math.max(getPriority(), 5))
const found = await findSaturation()
console.log(
  `saturated at ${found.rate.toFixed(1)} served a second, with ${found.clients} clients; offering ${flags.times} × that`,
)
const rounds = []
const answers = []
for (let round = 0; round < flags.rounds && !service.ended; round++) {
  const [served, over] = await withProcessors(() => overload(found.rate * flags.times))
  const [saturated, full] = await withProcessors(() => closedLoop(found.clients))
  console.log(
    `  ${served.toFixed(1)} served a second (${over}), ${saturated.toFixed(1)} at saturation (${full})`,
  )
  rounds.push({ served, saturated })
}
report()
service.kill()
end(must.failures)

/** The result of an act, and the cores that the service and its clients had during it: they share the machine. */
async function withProcessors(act) {
  const [wall, own, theirs] = [performance.now(), process.cpuUsage(), processorSecondsOf(service.pid)]
  const result = await act()
  const seconds = (performance.now() - wall) / 1000
  const { user, system } = process.cpuUsage(own)
  const cores = (processorSecondsOf(service.pid) - theirs) / seconds
  return [
    result,
    `cores: service ${cores.toFixed(2)}, clients ${((user + system) / 1e6 / seconds).toFixed(2)}`,
  ]
}

/** Served a second, and the clients that it takes. */
async function findSaturation() {
  let best = { rate: 0, clients: 1 }
  for (let clients = 1; clients <= 64; clients *= 2) {
    const rate = await closedLoop(clients)
    console.log(`  ${clients} clients: ${rate.toFixed(1)} served a second`)
    const isMore = rate > best.rate * MORE
    if (rate > best.rate) best = { rate, clients }
    if (!isMore && clients > flags.threads) return best
  }
  return best
}

async function closedLoop(clients) {
  const started = performance.now()
  const until = started + flags['step-seconds'] * 1000
  let count = 0
  const client = async () => {
    while (performance.now() < until) if ((await call(service.port, request)).status === 200) count++
  }
  await Promise.all(Array.from({ length: clients }, client))
  return (count * 1000) / (performance.now() - started)
}

/**
 * So many requests a second, at even distances; a step that came late sends what it missed. What is served is counted
 * once the queue has filled: of those that share the cores at the end none has been answered yet.
 */
async function overload(rate) {
  const started = performance.now()
  const seconds = flags.seconds
  const pending = new Set()
  let served = 0
  for (let sent = 0; sent < rate * seconds; ) {
    const due = Math.min(rate * seconds, ((performance.now() - started) * rate) / 1000)
    for (; sent < due; sent++) {
      const one = call(service.port, request).then((answer) => {
        pending.delete(one)
        answers.push(answer)
        const at = performance.now() - started
        if (answer.status === 200 && at > FILLING_MS && at <= seconds * 1000) served++
      })
      pending.add(one)
    }
    await delay(5)
    if (service.ended) break
  }
  await Promise.race([Promise.all(pending), delay(DRAIN_MS, undefined, { ref: false })])
  const left = pending.size
  if (left > 0) service.kill()
  await Promise.all(pending)
  must.that(
    left === 0,
    `every request must be answered in the end: ${left} waited on ${DRAIN_MS / 1000} s later`,
  )
  return served / (seconds - FILLING_MS / 1000)
}

function report() {
  const good = spread(answers.filter(({ status }) => status === 200).map(({ ms }) => ms))
  const refused = spread(answers.filter(({ status }) => status >= 400).map(({ ms }) => ms))
  const served = median(rounds.map((round) => round.served))
  const saturated = median(rounds.map((round) => round.saturated))
  console.log(`served a second ${served.toFixed(1)} of ${saturated.toFixed(1)}: ${summary(answers)}`)
  console.log(`served: ${spreadText(good)}\nrefused: ${spreadText(refused)}`)
  must.answered(answers, ['200', '503 overloaded', '504 deadline_exceeded'])
  const least = saturated * (1 - flags.noise / 100)
  must.that(served >= least, `throughput must be at least ${least.toFixed(1)} a second: ${served.toFixed(1)}`)
  must.atMost('p99 of what is served', good.p99, QUEUE_TIMEOUT_MS + 1000, 'ms')
  if (refused.count > 0) must.atMost('p99 of refusals', refused.p99, QUEUE_TIMEOUT_MS + 500, 'ms')
}
