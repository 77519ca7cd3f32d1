/** Milliseconds that all work of one turn shares; one step more may follow the last look at the clock. */
const TURN_MS = 1

/** Turns that long work has one after the other: changing over from one text to another costs what a turn brings. */
const TURNS_IN_A_ROW = 8
/** Turns after which work is long. */
const FIRST_TURNS = 2

/** Works that have just begun, in the order of their coming. */
const begun: (() => void)[] = []
/** Long works. */
const waiting: (() => void)[] = []
/** Each second turn is for long works first: many short ones must not keep them from their end. */
let isForLong = false
let turnEnd: Promise<void> | undefined
let endTurn = () => {}
/** When somebody asked for the time first in this turn. */
let began: number | undefined
let longTurns = 0
let longestMs = 0
let isWatched = false

/** Where in the line: among those that have just begun, or at either end of the long ones. */
type Place = 'begun' | 'front' | 'back'

/**
 * Waits until the event loop has turned and it is the caller's turn: first come, first served, as many in one turn as
 * its millisecond lasts for, one at least.
 *
 * Work that goes on for long asks for a turn every millisecond. If all that wait went on in the same turn, a turn
 * would take as long as all of them together, and Node accepts one new connection a turn: beside sixty large answers
 * a new caller would wait for seconds to be heard at all.
 */
export function nextTurn(place: Place = 'back'): Promise<void> {
  return new Promise((resolve) => {
    if (place === 'begun') begun.push(resolve)
    else if (place === 'front') waiting.unshift(resolve)
    else waiting.push(resolve)
    watchTurn()
  })
}

/** Works that wait for their turn now. */
export function worksWaiting(): number {
  return begun.length + waiting.length
}

/**
 * Waits until everything that has arrived in this turn of the event loop is worked on; all that wait go on together.
 * Answers written one after the other wake their reader once, not each time: waking costs more than writing.
 */
export function endOfTurn(): Promise<void> {
  turnEnd ??= new Promise((resolve) => {
    endTurn = resolve
    watchTurn()
  })
  return turnEnd
}

/** Milliseconds beyond which a turn counts as long: others wait for it noticeably. */
export const LONG_TURN_MS = 10

/** How many turns were long since the start, and how long the longest was since the last call. */
export function takeTurnFigures(): { longTurns: number; longestMs: number } {
  const figures = { longTurns, longestMs }
  longestMs = 0
  return figures
}

/** Begins to measure this turn, where nobody has yet: each request does when it comes. */
export function measureTurn(): void {
  if (began !== undefined) return
  began = performance.now()
  watchTurn()
}

/**
 * Whether this turn of the event loop has lasted long enough, whoever used its time. Work that can take long asks
 * before each step, the first one too: a thousand requests that come in one turn would otherwise begin in it together.
 */
export function isTurnOver(): boolean {
  const now = performance.now()
  if (began === undefined) {
    began = now
    watchTurn()
  }
  return now - began > TURN_MS
}

function watchTurn(): void {
  if (isWatched) return
  isWatched = true
  setImmediate(onTurn)
}

function onTurn(): void {
  isWatched = false
  if (began !== undefined) noteTurn(performance.now() - began)
  began = undefined
  turnEnd = undefined
  endTurn()
  isForLong = !isForLong
  admit()
}

function noteTurn(milliseconds: number): void {
  if (milliseconds > LONG_TURN_MS) longTurns++
  if (milliseconds > longestMs) longestMs = milliseconds
}

/** Lets the first in line go on, and the next one when it has stopped, if that took less than the turn's time. */
function admit(): void {
  const [first, second] = isForLong ? [waiting, begun] : [begun, waiting]
  const next = first.shift() ?? second.shift()
  next?.()
  // After all that the admitted one does without waiting.
  if (worksWaiting() > 0) queueMicrotask(() => process.nextTick(admitMore))
}

function admitMore(): void {
  if (isTurnOver()) watchTurn()
  else admit()
}

/** Asked between two turns of the event loop whether the work is still wanted; an AbortSignal is one. */
export interface StopSignal {
  /** Throws where it is not. */
  throwIfAborted(): void
  /** Asked before each turn that the work waits for: undefined, or what it has to wait for before. */
  goOn?(): Promise<void> | undefined
}

/**
 * Keeps long work in short turns: `if (pace.isOver) await pace.nextTurn()` before each step, well below a
 * millisecond. The turn's time is shared by all work of the thread; work that finds some left never waits.
 */
export class Pace {
  #turns = 0

  /** @param signal asked after each wait; what it throws ends the work */
  constructor(private readonly signal?: StopSignal) {}

  get isOver(): boolean {
    return isTurnOver()
  }

  async nextTurn(): Promise<void> {
    const wait = this.signal?.goOn?.()
    if (wait !== undefined) await wait
    await nextTurn(this.#place())
    this.signal?.throwIfAborted()
  }

  #place(): Place {
    this.#turns++
    if (this.#turns <= FIRST_TURNS) return 'begun'
    return this.#turns % TURNS_IN_A_ROW === 0 ? 'back' : 'front'
  }
}
