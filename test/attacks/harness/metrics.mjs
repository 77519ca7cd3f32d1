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

/**
 * What the service says of its turns between two scrapes.
 *
 * @returns { longestMs, over10, delayMs }: the longest turn, how many took over 10 ms, and Node's own measure of the
 *   event loop's longest delay, which sees what the service's measure might not. A build without a measure of its own
 *   has the delay as its longest turn, and the count is unknown (undefined). All are undefined where the service did
 *   not answer.
 */
export function turnsBetween(before, after) {
  if (before === undefined || after === undefined) return {}
  const delay = (after.get('nodejs_eventloop_lag_max_seconds') ?? 0) * 1000
  const delayMs = Math.max(0, delay - DELAY_RESOLUTION_MS)
  const longest = after.get('inlet_longest_turn_seconds')
  if (longest === undefined) return { longestMs: delayMs, delayMs }
  const over = (metrics) => metrics.get('inlet_turns_over_10ms_total') ?? 0
  return { longestMs: longest * 1000, over10: over(after) - over(before), delayMs }
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
