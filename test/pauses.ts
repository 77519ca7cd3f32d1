import { PAUSE, type Steps } from '../src/first-layer/steps.js'

/** How often steps may pause. */
export function pausesOf(steps: Steps<unknown>): number {
  let pauses = 0
  for (const step of steps) if (step === PAUSE) pauses++
  return pauses
}
