import { readFileSync } from 'node:fs'
import { performance } from 'node:perf_hooks'
import { table } from '../bench/harness/text.mjs'
import { inTurn } from './harness/calls.mjs'
import { conversation } from './harness/conversation.mjs'
import { Expectations } from './harness/expectations.mjs'
import { megabytes } from './harness/figures.mjs'
import { requestOf } from './harness/mutations/requests.mjs'
import { memoryOf } from './harness/process-state.mjs'
import { end, flagsOf } from './harness/script.mjs'
import { SERVER, startService } from './harness/service.mjs'

const HELP = `A hundred thousand generated and mutated requests: JSON and queries from a grammar of the service's fields, packed
bodies, HTTP as it should not be, and all of these with bytes changed. Each on a connection of its own, which is
half-closed after it. The same seed gives the same requests.

  node test/attacks/mutated-requests.mjs [--count 100000] [--seed 1]
  node test/attacks/mutated-requests.mjs --seed 1 --only 4711     one request: what is sent, what is answered
  INLET_SERVER=/another/build/dist/server.js node test/attacks/mutated-requests.mjs

What must hold: every answer is 200 or an error of the README's table, no 5xx but 503 and 504, every connection ends,
the service lives on, its memory levels off.`

const AT_ONCE = 16
const PATIENCE_MS = 15_000
const LOOKS = 10
/** Growth from the sixth to the tenth look. */
const GROWTH_BYTES = 50e6
const ENV = {
  MAX_JSON_RESPONSE_BYTES: '1000000',
  MAX_RESPONSE_BYTES: '1000000',
  MAX_BODY_BYTES: '1000000',
  MAX_JSON_BODY_BYTES: '1000000',
}

const flags = flagsOf(HELP, { count: 100_000, seed: 1, only: '', threads: 2 })
const must = new Expectations()
const documented = documentedErrors()
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
  const counts = new Map()
  const memory = [memoryOf(service.pid)?.rss]
  let unanswered = 0
  await inTurn(flags.count, AT_ONCE, async (i) => {
    if (service.ended) return
    if (i > 0 && i % Math.ceil(flags.count / LOOKS) === 0) memory.push(memoryOf(service.pid)?.rss)
    const { kind, bytes } = requestOf(flags.seed, i)
    const { answers, hung } = await conversation(service.port, bytes, PATIENCE_MS)
    if (hung) must.failures.push(`request ${i} (${kind}): the connection must end`)
    if (answers.length === 0) unanswered++
    for (const answer of answers) {
      const said = answer.code === undefined ? String(answer.status) : `${answer.status} ${answer.code}`
      counts.set(said, (counts.get(said) ?? 0) + 1)
      const wrong = whatIsWrong(answer, said, bytes)
      if (wrong) must.failures.push(`request ${i} (${kind}): ${wrong}`)
    }
  })
  memory.push(memoryOf(service.pid)?.rss)
  const seconds = (performance.now() - started) / 1000
  const rows = [...counts].sort(([, a], [, b]) => b - a)
  console.log(`\n${table(['answer', 'count'], rows)}\n`)
  console.log(`${unanswered} without an answer; ${Math.round(flags.count / seconds)} requests a second`)
  console.log(`memory: ${memory.map(megabytes).join(', ')} MB`)
  must.that(!service.ended, 'the service must live on')
  must.that(service.errors() === '', `standard error must stay empty: ${service.errors().slice(0, 300)}`)
  must.that((counts.get('200') ?? 0) > flags.count / 20, `a twentieth must be right: ${counts.get('200')}`)
  const growth = memory.at(-1) - memory[Math.ceil(memory.length * 0.6)]
  must.atMost('growth of memory', growth / 1e6, GROWTH_BYTES / 1e6, 'MB')
}

function whatIsWrong({ status, code, headers, problem }, said, bytes) {
  if (problem !== undefined) return `${said} was ${problem}`
  if (status < 400) return undefined
  if (status >= 500 && status !== 503 && status !== 504) return said
  if (status === 503 && !(headers['retry-after'] > 0)) return `${said} without Retry-After`
  const isHead = bytes.subarray(0, 5).toString('latin1') === 'HEAD '
  if (!isHead && !documented.has(`${status} ${code}`)) return `${said} is not documented`
  return undefined
}

/** The README's table, which a test holds to the code: `400 invalid_json`, … */
function documentedErrors() {
  const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8')
  const rows = readme.slice(readme.indexOf('<!-- errors -->'), readme.indexOf('<!-- /errors -->'))
  return new Set(
    [...rows.matchAll(/^\| (\d+) \| `([a-z_]+)` \|/gm)].map(([, status, code]) => `${status} ${code}`),
  )
}
