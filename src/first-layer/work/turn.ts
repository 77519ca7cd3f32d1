/** Milliseconds that all work of one turn of the event loop shares; one more step may follow the last look. */
const TURN_MS = 1

/** Works that wait for a turn, in the order of their coming. */
const waiting: (() => void)[] = []
let isWatched = false
/** When this turn's measuring began (`performance.now()`); undefined: nothing has been measured in this turn. */
let began: number | undefined

/** Tells work, between two turns, whether it is still wanted. An AbortSignal is a StopSignal. */
export interface StopSignal {
  /** Throws if the work is not wanted any more. */
  throwIfAborted(): void
}

/** How many works of this thread wait for a turn now. */
export function worksWaiting(): number {
  return waiting.length
}

/**
 * Whether this turn of the event loop has used up its millisecond, no matter which work used it. Long work looks before
 * each step, the first one too: otherwise a thousand requests that arrive in one turn would all begin in it.
 */
export function isTurnOver(): boolean {
  const now = performance.now()
  if (began === undefined) {
    began = now
    watch()
  }
  return now - began > TURN_MS
}

/**
 * Waits for the next turn: `if (isTurnOver()) await nextTurn()`. Waiting works go on one after the other, first come,
 * first served, until the turn's millisecond is over; at least one goes on. However many wait, a request that arrives
 * is read after a millisecond.
 *
 * @param signal asked after the wait; what it throws ends the work
 */
export async function nextTurn(signal?: StopSignal): Promise<void> {
  await new Promise<void>((resolve) => {
    waiting.push(resolve)
    watch()
  })
  signal?.throwIfAborted()
}

function watch(): void {
  if (isWatched) return
  isWatched = true
  setImmediate(onTurn)
}

function onTurn(): void {
  isWatched = false
  began = undefined
  goOn()
}

function goOn(): void {
  waiting.shift()?.()
  // The tick comes after all that the work does before its next wait.
  if (waiting.length > 0) queueMicrotask(() => process.nextTick(goOnOrWatch))
}

function goOnOrWatch(): void {
  if (isTurnOver()) watch()
  else goOn()
}
