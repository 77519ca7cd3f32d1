import { performance } from 'node:perf_hooks'
import { table } from '../bench/harness/text.mjs'
import { conversation } from './harness/conversation.mjs'
import { Expectations } from './harness/expectations.mjs'
import { megabytes } from './harness/figures.mjs'
import { requestOf } from './harness/mutations/requests.mjs'
import { ENV, PATIENCE_MS, sendMutated } from './harness/mutations/run.mjs'
import { memoryOf } from './harness/process-state.mjs'
import { end, flagsOf } from './harness/script.mjs'
import { SERVER, startService } from './harness/service.mjs'

const HELP = `A hundred thousand generated and mutated requests: JSON and queries from a grammar of the service's fields, packed
bodies, HTTP as it should not be, and all of these with bytes changed. Each on a connection of its own. The
same seed gives the same requests.

  node test/attacks/mutated-requests.mjs [--count 100000] [--seed 1]
  node test/attacks/mutated-requests.mjs --seed 1 --only 4711     one request: what is sent, what is answered
  INLET_SERVER=/another/build/dist/server.js node test/attacks/mutated-requests.mjs

What must hold: every answer is 200 or an error of docs/errors.md, no 5xx but 503 and 504, every connection ends,
the service lives on, its memory levels off.`

/** Growth in the last four tenths. */
const GROWTH_BYTES = 50e6

const flags = flagsOf(HELP, { count: 100_000, seed: 1, only: '', threads: 2 })
const must = new Expectations()
console.log(`${SERVER}, seed ${flags.seed}`)
const service = await startService({ env: { ...ENV, THREADS: String(flags.threads) } })
if (flags.only === '') await all()
else await one(Number(flags.only))
service.kill()
end(must.failures)

async function one(i) {
  const { kind, bytes } = requestOf(flags.seed, i)
  console.log(`${kind}\n${bytes.toString('latin1')}\n`)
  const { answers, hung, problem } = await conversation(service.port, bytes, PATIENCE_MS)
  for (const { status, body } of answers) console.log(status, body.toString())
  console.log(hung ? 'it did not end' : (problem ?? 'it ended'))
}

async function all() {
  const started = performance.now()
  const idle = memoryOf(service.pid)?.rss
  const { counts, unanswered, memory, failures } = await sendMutated(service, flags)
  must.failures.push(...failures)
  const seconds = (performance.now() - started) / 1000
  const rows = [...counts].sort(([, a], [, b]) => b - a)
  console.log(`\n${table(['answer', 'count'], rows)}\n`)
  console.log(`${unanswered} without an answer; ${Math.round(flags.count / seconds)} requests a second`)
  console.log(`memory: ${[idle, ...memory].map(megabytes).join(', ')} MB`)
  must.that((counts.get('200') ?? 0) > flags.count / 20, `a twentieth must be right: ${counts.get('200')}`)
  const growth = memory.at(-1) - memory[Math.floor(memory.length * 0.6)]
  must.atMost('growth of memory', growth / 1e6, GROWTH_BYTES / 1e6, 'MB')
}
