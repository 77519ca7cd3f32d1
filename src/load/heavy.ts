import type { StopSignal } from '../turn.js'

/** Heavy works at once in one thread: one computes while the next one may wait for its bytes. */
const AT_ONCE = 2

let running = 0
const waiting: (() => void)[] = []

/**
 * Runs work that keeps a core busy for long (drawing, shuffling, parsing megabytes), at most two at once in a thread:
 * more would not end sooner, and each holds its memory while it waits for turns. First come, first served.
 *
 * Work that waits for the network does not belong here: a slow client would hold the place.
 *
 * @param signal asked when the work's turn has come: who has left by then starts nothing
 */
export async function heavy<Result>(signal: StopSignal, work: () => Promise<Result>): Promise<Result> {
  if (running >= AT_ONCE) await new Promise<void>((resolve) => waiting.push(resolve))
  else running++ // who is called from the queue takes the place of the one that ended
  try {
    signal.throwIfAborted()
    return await work()
  } finally {
    const next = waiting.shift()
    if (next === undefined) running--
    else next()
  }
}
