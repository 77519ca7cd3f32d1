import { setTimeout } from 'node:timers/promises'

const STEP_MS = 20
/** Far beyond what any wait takes, and below a test's own time: a wait in vain names its condition. */
const MAX_STEPS = 10_000

/**
 * Waits until something is so.
 *
 * @param what named where it never is. Default: the condition as it is written
 */
export async function until(isSo: () => boolean, what: string = isSo.toString()): Promise<void> {
  for (let step = 0; !isSo(); step++) {
    if (step === MAX_STEPS) throw new Error(`waited in vain: ${what}`)
    await setTimeout(STEP_MS)
  }
}

/** Waits until a number has stood still for a while. */
export async function untilSettled(read: () => number): Promise<number> {
  let last = read()
  for (let still = 0; still < 10; still++) {
    await setTimeout(STEP_MS)
    if (read() !== last) still = 0
    last = read()
  }
  return last
}
