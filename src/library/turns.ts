import { setImmediate } from 'node:timers/promises'

/** Milliseconds between two turns of the event loop: a loop over batches is no slower for a turn in so many. */
const BETWEEN_MS = 5
let last = performance.now()

/**
 * Gives the caller's timers, sockets and signals a turn in a loop over batches, none of which may have to wait for
 * anything: an `await` alone lets only promises go on.
 */
export async function takeTurn(): Promise<void> {
  if (performance.now() - last < BETWEEN_MS) return
  await setImmediate()
  last = performance.now()
}
