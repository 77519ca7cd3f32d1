import { setTimeout as delay } from 'node:timers/promises'
import { Expectations } from './harness/expectations.mjs'
import { megabytes } from './harness/figures.mjs'
import { ADMIN_KEY, client, constantTable, floatsOf } from './harness/model-calls.mjs'
import { memoryOf } from './harness/process-state.mjs'
import { end, flagsOf } from './harness/script.mjs'
import { SERVER, startService } from './harness/service.mjs'

const HELP = `Exchanges the token table of the default model, time and again, under connections on all threads that ask for rows.

  node test/attacks/exchanges.mjs [--exchanges 50] [--connections 32]

What must hold: every answer is of exactly one version, the one that it says, and none fails; resident memory is flat
from the fifth exchange on (within 64 MB).`

const VOCAB = 50_257
const FLAT_BYTES = 64e6
const FIFTH = 5
const IDS = 64

const flags = flagsOf(HELP, { exchanges: 50, connections: 32, threads: 2, dim: 256 })
const must = new Expectations()
console.log(SERVER)
const service = await startService({
  env: { THREADS: String(flags.threads), EMBEDDING_DIM: String(flags.dim), ADMIN_KEY },
})
const readers = client(service.port, flags.connections)
const admin = client(service.port, 1)
const drawn = floatsOf(
  await readers.rows(
    'default',
    Array.from({ length: VOCAB }, (_, id) => id),
  ),
)

let running = true
const seen = new Map()
const wrong = []
const reading = Promise.all(Array.from({ length: flags.connections }, (_, i) => read(i)))
const memory = []
for (let exchange = 1; exchange <= flags.exchanges; exchange++) {
  const answer = await admin.exchange('default', constantTable(VOCAB, flags.dim, exchange + 1))
  must.that(answer.status === 200, `exchange ${exchange} must be 200: ${answer.status} ${answer.code}`)
  must.that(
    answer.status === 200 && answer.json().model_version === String(exchange + 1),
    `exchange ${exchange} must make version ${exchange + 1}`,
  )
  await delay(20)
  memory.push(memoryOf(service.pid).rss)
}
running = false
await reading
report()
service.kill()
end(must.failures)

async function read(number) {
  for (let round = 0; running; round++) {
    const ids = Array.from({ length: IDS }, (_, i) => (number * 7919 + round * 104_729 + i * 31) % VOCAB)
    try {
      const answer = await readers.rows('default', ids)
      const version = Number(answer.headers['x-model-version'])
      seen.set(version, (seen.get(version) ?? 0) + 1)
      if (answer.status !== 200) wrong.push(`${answer.status} ${answer.code}`)
      else if (!isOf(version, floatsOf(answer), ids)) wrong.push(`not of version ${version}`)
    } catch (error) {
      wrong.push(error.message)
    }
  }
}

/** Version 1 is drawn from the seed; in version n every number is n. */
function isOf(version, rows, ids) {
  if (version > 1) return rows.length === IDS * flags.dim && rows.every((value) => value === version)
  return ids.every((id, i) =>
    rows
      .subarray(i * flags.dim, (i + 1) * flags.dim)
      .every((value, c) => value === drawn[id * flags.dim + c]),
  )
}

function report() {
  const answers = [...seen.values()].reduce((sum, count) => sum + count, 0)
  const flat = memory.slice(FIFTH - 1)
  const [least, most] = [Math.min(...flat), Math.max(...flat)]
  console.log(
    `${answers} answers of ${seen.size} versions; wrong: ${wrong.length} ${wrong.slice(0, 3).join('; ')}`,
  )
  console.log(
    `memory: ${megabytes(memory[0])} MB after the first exchange, ${megabytes(flat[0])} after the fifth, then ${megabytes(least)} to ${megabytes(most)}, last ${megabytes(flat.at(-1))}`,
  )
  must.that(wrong.length === 0, `every answer must be of the version that it says: ${wrong.length} were not`)
  must.that(seen.size > flags.exchanges / 2, `readers must have seen most versions: ${seen.size}`)
  must.atMost('growth since the fifth exchange', (most - flat[0]) / 1e6, FLAT_BYTES / 1e6, 'MB')
}
