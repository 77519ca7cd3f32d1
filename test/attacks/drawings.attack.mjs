import { setTimeout as delay } from 'node:timers/promises'
import { largestDrawing } from './harness/bodies.mjs'
import { callAll } from './harness/calls.mjs'
import { processorSecondsOf } from './harness/process-state.mjs'

// Tables of 2^24 random numbers, each seed another one: 300 bytes ask for 64 MiB and a tenth of a second.

const LOOK_MS = 250
/** Of processor time, within a look. */
const RESTING_SECONDS = 0.03
const MOST_LOOKS = 160

export const name = 'drawings'
export const about = '200 GETs for T5 tables of 2^24 numbers with different seeds'
export const variants = {
  'abandoned at once': { count: 200, leaveAfterMs: 300 },
  wanted: { count: 200, limitMs: 120_000 },
}

export async function send(service, { count, leaveAfterMs }) {
  const answers = await callAll(service.port, count, (i) => ({ ...largestDrawing(i), leaveAfterMs }))
  const leftSeconds = processorSecondsOf(service.pid)
  if (leaveAfterMs === undefined) return { answers }
  const worked = await workAfter(service, leftSeconds)
  return { answers, worked, said: `all left; then ${worked.toFixed(1)} s of work for nobody` }
}

/** Seconds of processor time until the service rests for a second, but for the looks from outside. */
async function workAfter({ pid }, from) {
  let last = from
  for (let looks = 0, still = 0; looks < MOST_LOOKS && still < 4; looks++) {
    await delay(LOOK_MS)
    const now = processorSecondsOf(pid)
    if (now === undefined) break
    still = now - last < RESTING_SECONDS ? still + 1 : 0
    last = now
  }
  return last - from
}

export function expect({ answers, worked }, must) {
  if (worked === undefined) return must.answeredOrRefused(answers)
  return must.atMost('work for who has left', worked, 2, 's')
}
