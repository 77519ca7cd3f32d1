import type { StopSignal } from '../turn.js'

/** How many heavy works run at once in one thread: one computes while the other may wait for its memory. */
const AT_ONCE = 2

let running = 0
const waiting: (() => void)[] = []

/**
 * Runs work that keeps a core busy for long (drawing, shuffling, parsing megabytes), at most two such works at
 * once in a thread: with more, none would end sooner, and each holds memory while it waits for turns. First
 * come, first served.
 *
 * Work that waits for the network does not belong here: a slow client would hold the place.
 *
 * @param signal checked before the work starts; where it is aborted, `work` is not called
 * @throws what the signal is aborted with, and what `work` throws
 */
export async function heavy<Result>(signal: StopSignal, work: () => Promise<Result>): Promise<Result> {
  if (running >= AT_ONCE) await new Promise<void>((resolve) => waiting.push(resolve))
  else running++ // a work from the queue takes the place of the one that ended
  try {
    signal.throwIfAborted()
    return await work()
  } finally {
    const next = waiting.shift()
    if (next === undefined) running--
    else next()
  }
}
