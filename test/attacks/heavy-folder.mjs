import { performance } from 'node:perf_hooks'
import { setTimeout as delay } from 'node:timers/promises'
import { table } from '../bench/harness/text.mjs'
import { jsonPost } from './harness/bodies.mjs'
import { Expectations } from './harness/expectations.mjs'
import { duration, megabytes } from './harness/figures.mjs'
import { HEAVY, HEAVY_KINDS, heavyModels, TINY } from './harness/heavy-models.mjs'
import { longestDelay, scrape } from './harness/metrics.mjs'
import { memoryOf } from './harness/process-state.mjs'
import { end, flagsOf } from './harness/script.mjs'
import { SERVER, startService } from './harness/service.mjs'

const HELP = `The start of a service that has a folder with a very large tokenizer.json beside a tiny model, once for each kind of
tokenizer and each MODELS_LOAD, and without such a folder.

  node test/attacks/heavy-folder.mjs [--mb 60] [--kinds wordpiece,byte-pair,unigram] [--load start,request]
  INLET_SERVER=/another/build/dist/server.js node test/attacks/heavy-folder.mjs

Each question is asked again and again until it is answered 200. What must hold: the tiny model answers as early as in
the service without the heavy folder, and --slack-ms; under MODELS_LOAD=request /health/ready does too; what is refused
meanwhile is 503 with Retry-After; the heavy model answers in the end. The longest turn and the memory are shown.`

const flags = flagsOf(HELP, {
  ...{ mb: 60, kinds: Object.keys(HEAVY_KINDS).join(), load: 'start,request' },
  ...{ threads: 2, 'slack-ms': 2000, 'limit-s': 240 },
})
const LOOK_MS = 10
const REST_MS = 4000
const HEAD = ['folder', 'MODELS_LOAD', 'tiny', 'ready', 'heavy', 'longest turn', 'peak MB', 'at rest MB']

const must = new Expectations()
const rows = []
const alone = new Map()
console.log(SERVER)
for (const kind of [undefined, ...flags.kinds.split(',')]) {
  const { folder, tokens, bytes } = heavyModels(kind, flags.mb * 1e6)
  const name = kind === undefined ? 'none' : `${kind}, ${megabytes(bytes)} MB, ${tokens} tokens`
  for (const load of flags.load.split(',')) rows.push([name, load, ...(await start(kind, load, folder))])
  console.log(
    rows
      .slice(-2)
      .map((row) => row.join(' | '))
      .join('\n'),
  )
}
console.log(`\n${table(HEAD, rows)}\n`)
end(must.failures)

async function start(kind, load, MODELS_DIR) {
  const env = { THREADS: String(flags.threads), MODELS_DIR, MODELS_LOAD: load }
  const started = performance.now()
  const service = await startService({ env, atOnce: true })
  const refused = []
  const until = (request) => answered(service, started, request, refused)
  const ask = (model) => jsonPost('/v1/tokenize', JSON.stringify({ model, text: 'a cat' }))
  const what = `${kind ?? 'no heavy folder'}, MODELS_LOAD=${load}`
  const [tiny, ready, heavy] = await Promise.all([
    until(ask(TINY)),
    until({ path: '/health/ready' }),
    kind === undefined ? undefined : until(ask(HEAVY)),
  ])
  const longestMs = longestDelay(await scrape(service.port))
  await delay(REST_MS)
  const { rss, peak } = memoryOf(service.pid)
  service.kill()
  await service.exited

  if (kind === undefined) alone.set(load, { tiny, ready })
  const least = alone.get(load)
  must.atMost(`${what}: the tiny model’s first answer`, tiny, least.tiny + flags['slack-ms'], 'ms')
  if (load === 'request') must.atMost(`${what}: ready`, ready, least.ready + flags['slack-ms'], 'ms')
  if (kind !== undefined) must.that(heavy < Number.POSITIVE_INFINITY, `${what}: the heavy model must answer`)
  must.busyIsPolite(refused)
  const times = [tiny, ready, heavy, longestMs].map(duration)
  return [...times, megabytes(peak), megabytes(rss)]
}

/** Milliseconds from the start until a request is answered 200; what was answered before goes into `refused`. */
async function answered(service, started, request, refused) {
  while (performance.now() - started < flags['limit-s'] * 1000 && !service.ended) {
    const answer = await service.call(request)
    if (answer.status === 200) return performance.now() - started
    if (answer.status !== 0) refused.push(answer)
    await delay(LOOK_MS)
  }
  return Number.POSITIVE_INFINITY
}
