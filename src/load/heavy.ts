/** How many heavy works run at once in one thread: one computes while the other may wait for its memory. */
const AT_ONCE = 2

let running = 0
const waiting: (() => void)[] = []

/**
 * Takes a place for work that keeps a core busy for long (drawing, shuffling, parsing megabytes), at most two such
 * works at once in a thread: with more, none would end sooner, and each holds memory while it waits for turns. First
 * come, first served. Undefined where a place is free at once; {@link leaveHeavy} gives it back.
 *
 * Work that waits for the network does not belong here: a slow client would hold the place.
 */
export function enterHeavy(): Promise<void> | undefined {
  if (running >= AT_ONCE) return new Promise<void>((resolve) => waiting.push(resolve))
  running++
  return undefined
}

/** Gives the place to the work that has waited longest. */
export function leaveHeavy(): void {
  const next = waiting.shift()
  if (next === undefined) running--
  else next()
}
