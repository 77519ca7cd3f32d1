const waiting: (() => void)[] = []

/**
 * Waits until the event loop has turned and it is the caller's turn: one caller a turn, first come first served.
 *
 * Work that goes on for long asks for a turn every few milliseconds. If all that wait went on in the same turn,
 * a turn would take as long as all of them together, and Node accepts one new connection a turn: beside sixty
 * large answers a new caller would wait for seconds to be heard at all.
 */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve)
    if (waiting.length === 1) setImmediate(admit)
  })
}

/** Works that wait for their turn now. */
export function worksWaiting(): number {
  return waiting.length
}

function admit(): void {
  waiting.shift()?.()
  if (waiting.length > 0) setImmediate(admit)
}

let turnEnd: Promise<void> | undefined

/**
 * Waits until everything that has arrived in this turn of the event loop is worked on; all that wait go on together.
 * Answers written one after the other wake their reader once, not each time: waking costs more than writing.
 */
export function endOfTurn(): Promise<void> {
  turnEnd ??= new Promise((resolve) => {
    setImmediate(() => {
      turnEnd = undefined
      resolve()
    })
  })
  return turnEnd
}

/** Asked between two turns of the event loop whether the work is still wanted; an AbortSignal is one. */
export interface StopSignal {
  /** Throws where it is not. */
  throwIfAborted(): void
}

/** Milliseconds after which the event loop gets its turn; one step more may follow the last look. */
const TURN_MS = 1

/**
 * Keeps long work in short turns: `if (pace.isOver) await pace.nextTurn()` between two steps, each well below a
 * millisecond. Work that is done sooner never waits.
 */
export class Pace {
  #start = performance.now()

  /** @param signal asked after each wait; what it throws ends the work */
  constructor(private readonly signal?: StopSignal) {}

  get isOver(): boolean {
    return performance.now() - this.#start > TURN_MS
  }

  async nextTurn(): Promise<void> {
    await nextTurn()
    this.signal?.throwIfAborted()
    this.#start = performance.now()
  }
}
