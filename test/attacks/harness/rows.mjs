import { summary } from './expectations.mjs'
import { duration, megabytes } from './figures.mjs'

export const HEAD = [
  'attack',
  'answered',
  'time',
  'turn',
  'live p50',
  'live p99',
  'live max',
  'RSS before',
  'RSS peak',
  'RSS after',
  'slowed',
]

/**
 * A row of the table: memory in MB; `turn`, the longest one, of processor time (0 below 50 ms); `slowed`, how many times as
 * long the service took as with cores of its own.
 */
export function rowOf({ name, seen }) {
  const { answers = [], capped, overdue, ms, live = {}, slowdown } = seen
  const end = capped ? ' (ended: memory)' : overdue ? ' (ended: time)' : ''
  return [
    name,
    (seen.said ?? summary(answers)) + end,
    duration(ms),
    duration(seen.longestMs),
    duration(live.p50),
    duration(live.p99),
    duration(live.max),
    megabytes(seen.idleRss),
    megabytes(seen.rssPeak),
    megabytes(seen.rssAfter),
    Number.isFinite(slowdown) ? `${slowdown.toFixed(1)} ×` : '–',
  ]
}
