import { setTimeout } from 'node:timers/promises'

const STEP_MS = 20

/** Waits until something is so; the test's own time is the only limit. */
export async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await setTimeout(STEP_MS)
}

/** Waits until a number has stood still for a while. */
export async function untilSettled(read: () => number): Promise<number> {
  let last = read()
  for (let still = 0; still < 20; still++) {
    await setTimeout(STEP_MS)
    if (read() !== last) still = 0
    last = read()
  }
  return last
}
