import { call } from './calls.mjs'

/**
 * The service's metrics by name, labels included as they stand: `inlet_errors_total{code="internal"}` → number.
 * Undefined where it does not answer.
 */
export async function scrape(port) {
  const answer = await call(port, { path: '/metrics', keep: 2 ** 20 })
  if (answer.status !== 200) return undefined
  const metrics = new Map()
  for (const line of answer.body.toString().split('\n')) {
    if (line === '' || line.startsWith('#')) continue
    const space = line.lastIndexOf(' ')
    metrics.set(line.slice(0, space), Number(line.slice(space + 1)))
  }
  return metrics
}

/** The resolution of Node's own measure of the delay, which it counts in. */
const DELAY_RESOLUTION_MS = 10

/** The event loop's longest delay before this scrape, in milliseconds; undefined where the service did not answer. */
export function longestDelay(metrics) {
  if (metrics === undefined) return undefined
  return Math.max(0, (metrics.get('nodejs_eventloop_lag_max_seconds') ?? 0) * 1000 - DELAY_RESOLUTION_MS)
}

/** How many requests were refused between two scrapes, by reason: `{ queue_full: 12 }`. */
export function refusalsBetween(before, after) {
  const refusals = {}
  for (const [name, value] of after ?? []) {
    const reason = /^inlet_refusals_total\{.*reason="([^"]+)"/.exec(name)?.[1]
    const more = value - (before?.get(name) ?? 0)
    if (reason !== undefined && more > 0) refusals[reason] = (refusals[reason] ?? 0) + more
  }
  return refusals
}
