import { performance } from 'node:perf_hooks'
import { setTimeout as delay } from 'node:timers/promises'
import { EMBEDDINGS, jsonPost } from './bodies.mjs'
import { refusalsBetween, scrape } from './metrics.mjs'
import { startProbe } from './probe.mjs'
import { coresOf, memoryOf } from './process-state.mjs'

/** An attack that takes longer is over: the service is ended, and the row says so. */
const LIMIT_MS = 90_000
const WARM = 20

/** A small request, and what its answer must hold. */
export const SMALL = jsonPost(
  EMBEDDINGS,
  '{"text":"Hello, world! This is the first layer.","context_length":4,"outputs":["input_ids"]}',
)
export const SMALL_ANSWER = '[[15496,11,995,0],[770,318,262,717]]'

/**
 * Sends an attack to a service and looks at the service meanwhile and afterwards.
 *
 * @param options { limitMs, settleMs, capBytes, turns }
 * @returns what `attack.send` gave, and { ms, live, slowdown, rssPeak, idleRss, rssAfter, longestMs, refusals, small,
 *   capped, overdue, wentDown }; times in milliseconds, memory in bytes; `longestMs` of processor time; `slowdown`: how many
 *   times as long the service took as with cores of its own
 */
export async function measure(service, attack, prepared, options) {
  const { limitMs = LIMIT_MS, settleMs, capBytes, turns } = options
  for (let i = 0; i < WARM; i++) await service.call(SMALL)
  await scrape(service.port) // the first one takes longer, and its turn counts for the next
  const before = await scrape(service.port)
  turns.longest() // of the start
  const cores = coresOf(service.pid)
  const idleRss = memoryOf(service.pid)?.rss
  const probe = await startProbe(service, capBytes)
  const started = performance.now()
  const limit = endAfter(service, limitMs)
  const sent = await attack.send(service, prepared)
  const ms = performance.now() - started
  limit.end()
  const seen = { ...sent, service, ms, idleRss, overdue: limit.reached }
  if (service.ended) return { ...seen, ...(await probe.stop()), wentDown: true }

  const rest = endAfter(service, LIMIT_MS)
  const longestMs = turns.longest()
  const now = coresOf(service.pid)
  const slowdown = 1 + Math.max(0, now.waitedMs - cores.waitedMs) / Math.max(1, now.ranMs - cores.ranMs)
  const found = await probe.stop()
  if (!service.ended) await delay(settleMs)
  const small = await service.call(SMALL)
  const refusals = refusalsBetween(before, await scrape(service.port))
  const rssAfter = memoryOf(service.pid)?.rss
  const wentDown = service.ended
  rest.end()
  const overdue = limit.reached || rest.reached
  return { ...seen, ...found, longestMs, slowdown, rssAfter, refusals, small, overdue, wentDown }
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
