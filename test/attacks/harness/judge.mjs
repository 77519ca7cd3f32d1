import { MIB } from './bodies.mjs'
import { summary } from './expectations.mjs'
import { megabytes } from './figures.mjs'
import { SMALL_ANSWER } from './measure.mjs'

/** The bounds of every attack that sets no others in `bounds`; undefined: not checked. */
export const BOUNDS = {
  /** Longest turn of the first thread's event loop, of processor time. */
  turnMs: 100,
  /** `/health/live` from outside, p99, with cores of its own: the time is divided by how often others had them. */
  liveMs: 250,
  /** Resident memory at its peak: the tables, the idle process and twice the ledger's 512 MiB. */
  rssBytes: 1200 * MIB,
  /** Resident memory after a few seconds of rest, above what it was before. */
  keptBytes: 600 * MIB,
}

/** An error names the mistake, and does not repeat a body. */
const MOST_ERROR_BYTES = 16_384

/** Statuses from 500 on that are answers, not defects. */
const DOCUMENTED = new Set([503, 504, 507])

/** The rules for every attack, beside its `expect`. */
export function judge(seen, bounds, must) {
  const { capped, overdue, wentDown, endsIt, service, answers = [] } = seen
  must.that(!capped, `memory must stay below the cap: ended at ${megabytes(seen.rssPeak)} MB`)
  must.that(!overdue, 'must be over in time, and answer /metrics then: ended by the attacker')
  must.that(service.errors() === '', `standard error must stay empty: ${service.errors().slice(0, 300)}`)
  if (capped || overdue) return
  must.that(!wentDown || endsIt, 'the service must not end')
  const defects = answers.filter(({ status }) => status >= 500 && !DOCUMENTED.has(status))
  must.that(defects.length === 0, `must not answer ${summary(defects)}`)
  const long = answers.filter(({ status, bytes }) => status >= 400 && bytes > MOST_ERROR_BYTES)
  must.that(long.length === 0, `an error must be short: ${long[0]?.bytes.toLocaleString('en-US')} bytes`)
  must.atMost('resident memory', seen.rssPeak / MIB, bounds.rssBytes / MIB, 'MiB')
  if (wentDown) return
  judgeTimes(seen, bounds, must)
  must.atMost('memory kept', (seen.rssAfter - seen.idleRss) / MIB, bounds.keptBytes / MIB, 'MiB')
  const isRight = seen.small?.body.toString().includes(SMALL_ANSWER)
  must.that(isRight, `a small request afterwards must be answered: ${summary([seen.small])}`)
}

/** Figures that other work on the machine can spoil. */
function judgeTimes({ live, longestMs, slowdown }, { liveMs, turnMs }, must) {
  const asked = must.failures.length
  if (liveMs !== undefined) {
    must.atMost('/health/live p99, with cores of its own', live.p99 / slowdown, liveMs, 'ms')
    must.that(live.failed === 0, `/health/live must answer 200 each time: ${live.failed} did not`)
  }
  if (turnMs !== undefined) must.atMost('the longest turn, of processor time', longestMs, turnMs, 'ms')
  must.timing += must.failures.length - asked
}
