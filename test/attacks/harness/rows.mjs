import { summary } from './expectations.mjs'
import { duration, megabytes } from './figures.mjs'

export const HEAD = [
  'attack',
  'answered',
  'time',
  'loop late',
  'live p50',
  'live p99',
  'live max',
  'RSS before',
  'RSS peak',
  'RSS after',
  'busy',
]

/**
 * A row of the table: memory in MB; `loop late`, Node's own measure of the longest delay; `busy`, how much of the time
 * somebody on the machine waited for a core.
 */
export function rowOf({ name, seen }) {
  const { answers = [], capped, overdue, ms, live = {}, busy } = seen
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
    Number.isFinite(busy) ? `${Math.round(busy * 100)} %` : '–',
  ]
}
