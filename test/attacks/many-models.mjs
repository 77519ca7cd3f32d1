import { setTimeout as delay } from 'node:timers/promises'
import { Expectations } from './harness/expectations.mjs'
import { megabytes } from './harness/figures.mjs'
import { ADMIN_KEY, client, constantTable, floatsOf } from './harness/model-calls.mjs'
import { memoryOf } from './harness/process-state.mjs'
import { drawing } from './harness/random.mjs'
import { end, flagsOf } from './harness/script.mjs'
import { SERVER, startService } from './harness/service.mjs'

const HELP = `Two hundred models of a megabyte in one process: made, asked, exchanged, read back and deleted by clients, each of which
knows what its own models must answer.

  node test/attacks/many-models.mjs [--seconds 60] [--models 200] [--clients 16]

What must hold: no unexpected answer; when all are deleted, memory is back to where it was (within 100 MB).`

const KEPT_BYTES = 100e6
const BACK_SECONDS = 30
const [VOCAB, DIM] = [1024, 256] // 1 MiB

const flags = flagsOf(HELP, { seconds: 60, models: 200, clients: 16, threads: 2, seed: 1 })
const must = new Expectations()
console.log(SERVER)
const service = await startService({ env: { THREADS: String(flags.threads), ADMIN_KEY } })
const before = memoryOf(service.pid).rss
const counts = new Map()
const wrong = []
const until = performance.now() + flags.seconds * 1000
let peak = before
const watching = setInterval(() => {
  peak = Math.max(peak, memoryOf(service.pid)?.rss ?? 0)
}, 100)
await Promise.all(Array.from({ length: flags.clients }, (_, i) => use(i)))
const full = memoryOf(service.pid).rss
clearInterval(watching)
const back = await memoryBack()
report()
service.kill()
end(must.failures)

/** One client and its models, until the time is over; then it deletes them. */
async function use(number) {
  const { upTo } = drawing(flags.seed * 1000 + number)
  const calls = client(service.port, 1)
  const own = Math.ceil(flags.models / flags.clients)
  // id → undefined where there is none, else what is in its table: a constant, or the seed's numbers.
  const models = new Map(Array.from({ length: own }, (_, i) => [`m-${number}-${i}`, undefined]))
  const ids = [...models.keys()]
  const expect = (what, answer, status) => {
    counts.set(what, (counts.get(what) ?? 0) + 1)
    if (answer.status === status) return true
    wrong.push(`${what}: ${answer.status} ${answer.code}, not ${status}`)
    return false
  }
  const card = { vocab_size: VOCAB, embedding_dim: DIM, max_position_embeddings: 1, seed: 7 }
  for (const id of ids) {
    if (expect('make', await calls.make(id, card), 201)) models.set(id, { version: 1 })
  }
  while (performance.now() < until && !service.ended) {
    const id = ids[upTo(ids.length)]
    const model = models.get(id)
    const act = upTo(10)
    if (model === undefined) {
      expect('ask one that is gone', await calls.rows(id, [1]), 404)
      if (expect('make', await calls.make(id, card), 201)) models.set(id, { version: 1 })
    } else if (act < 6) {
      await ask(calls, id, model, upTo, expect)
    } else if (act === 6) {
      const value = upTo(1000) + 1
      if (expect('exchange', await calls.exchange(id, constantTable(VOCAB, DIM, value)), 200)) {
        models.set(id, { version: model.version + 1, value })
      }
    } else if (act === 7) {
      const answer = await calls.tables(id)
      if (expect('read back', answer, 200) && answer.headers['x-model-version'] !== String(model.version)) {
        wrong.push(`read back: version ${answer.headers['x-model-version']}, not ${model.version}`)
      }
    } else if (act === 8) {
      expect('make the same again', await calls.make(id, card), 200)
      expect('make another under its name', await calls.make(id, { ...card, seed: 8 }), 409)
    } else if (expect('delete', await calls.remove(id), 204)) models.set(id, undefined)
  }
  for (const [id, model] of models) if (model !== undefined) expect('delete', await calls.remove(id), 204)
  calls.close()
}

async function ask(calls, id, { version, value }, upTo, expect) {
  const row = upTo(VOCAB)
  const answer = await calls.rows(id, [row, upTo(VOCAB), upTo(VOCAB)])
  if (!expect('ask', answer, 200)) return
  const rows = floatsOf(answer)
  const isRight = value === undefined ? rows.every(Number.isFinite) : rows.every((each) => each === value)
  if (!isRight || rows.length !== 3 * DIM) wrong.push(`${id}: not the rows of its version`)
  if (answer.headers['x-model-version'] !== String(version)) {
    wrong.push(`${id}: version ${answer.headers['x-model-version']}, not ${version}`)
  }
}

async function memoryBack() {
  for (let second = 0; second < BACK_SECONDS; second++) {
    const { rss } = memoryOf(service.pid)
    if (rss - before < KEPT_BYTES) return { second, rss }
    await delay(1000)
  }
  return { second: BACK_SECONDS, rss: memoryOf(service.pid).rss }
}

function report() {
  console.log([...counts].map(([what, count]) => `${count} × ${what}`).join(', '))
  console.log(`wrong: ${wrong.length} ${wrong.slice(0, 5).join('; ')}`)
  console.log(
    `memory: ${megabytes(before)} MB before, at most ${megabytes(peak)}, ${megabytes(full)} when all were deleted, ${back.second} s later ${megabytes(back.rss)}`,
  )
  must.that(!service.ended, 'the service must not end')
  must.that(wrong.length === 0, `no answer must be unexpected: ${wrong.length} were`)
  must.atMost('memory kept', (back.rss - before) / 1e6, KEPT_BYTES / 1e6, 'MB')
}
