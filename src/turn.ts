/** Milliseconds that all work of one turn of the event loop shares; one more step may follow the last check. */
const TURN_MS = 1

/** Turns that one long work gets in a row: changing to another text costs about as much time as a turn has. */
const TURNS_IN_A_ROW = 8
/** Work that needs more turns than this counts as long. */
const FIRST_TURNS = 2

/**
 * Turns in a row that long work leaves to connections that come. Node accepts one a turn: where a hundred come at once,
 * the last would wait for a hundred turns of work.
 */
const TURNS_FOR_CONNECTIONS = 4

/** Works that have just begun, in the order of their coming. */
const begun: (() => void)[] = []
/** Long works. */
const waiting: (() => void)[] = []
/** Every second turn, long works come first: otherwise many short ones could keep them waiting for ever. */
let isForLong = false
let turnEnd: Promise<void> | undefined
let endTurn: (() => void) | undefined
/** When this turn's measuring began (`performance.now()`); undefined: not measured in this turn. */
let began: number | undefined
let longTurns = 0
let longestMs = 0
let isWatched = false
/** Whether a connection has come in this turn. */
let hasConnection = false
let turnsForConnections = 0

/** A work's place in the queue: among those that have just begun, or at either end of the long ones. */
export type Place = 'begun' | 'front' | 'back'

/** The places of one work in the queue, turn after turn. */
export class TurnPlaces {
  #turns = 0

  next(): Place {
    this.#turns++
    if (this.#turns <= FIRST_TURNS) return 'begun'
    return this.#turns % TURNS_IN_A_ROW === 0 ? 'back' : 'front'
  }
}

/**
 * Waits until the event loop has turned and the caller is first in the queue. Each turn lets waiting works go on,
 * one after the other, until its millisecond is used up; at least one goes on.
 *
 * Long work asks for a turn every millisecond. If all waiting works went on in the same turn, the turn would take
 * as long as all of them together; and Node accepts one new connection a turn. Beside sixty large answers a new
 * caller would wait seconds for the connection alone.
 */
export function nextTurn(place: Place = 'back'): Promise<void> {
  return new Promise((resolve) => {
    if (place === 'begun') begun.push(resolve)
    else if (place === 'front') waiting.unshift(resolve)
    else waiting.push(resolve)
    watchTurn()
  })
}

/** How many works wait for their turn now. */
export function worksWaiting(): number {
  return begun.length + waiting.length
}

/**
 * Waits until the service has worked on everything that arrived in this turn of the event loop; all callers of
 * this function then go on together. Answers that are written right after each other wake their reader once, not
 * once each: waking costs more than writing.
 */
export function endOfTurn(): Promise<void> {
  turnEnd ??= new Promise((resolve) => {
    endTurn = resolve
    watchTurn()
  })
  return turnEnd
}

/** Milliseconds beyond which a turn counts as long: other requests notice the wait. */
export const LONG_TURN_MS = 10

/** How many turns were long since the start, and how long the longest was since the last call. */
export function takeTurnFigures(): { longTurns: number; longestMs: number } {
  const figures = { longTurns, longestMs }
  longestMs = 0
  return figures
}

/** Begins to measure this turn, unless it is measured already. Each request calls it on arrival. */
export function measureTurn(): void {
  if (began !== undefined) return
  began = performance.now()
  watchTurn()
}

/**
 * Whether this turn of the event loop has used up its time, no matter which work used it. Work that can take long
 * asks before each step, the first one too: otherwise a thousand requests that arrive in one turn would all begin
 * in it.
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

/** A connection has been accepted: others may wait behind it, so that the works leave the rest of the turn to them. */
export function noteConnection(): void {
  hasConnection = true
}

function onTurn(): void {
  isWatched = false
  if (began !== undefined) noteTurn(performance.now() - began)
  began = undefined
  turnEnd = undefined
  endTurn?.()
  endTurn = undefined // to settle a promise once more takes longer than to make one
  const isForConnections = hasConnection && ++turnsForConnections <= TURNS_FOR_CONNECTIONS
  hasConnection = false
  if (isForConnections) {
    if (worksWaiting() > 0) watchTurn()
    return
  }
  turnsForConnections = 0
  isForLong = !isForLong
  admit()
}

function noteTurn(milliseconds: number): void {
  if (milliseconds > LONG_TURN_MS) longTurns++
  if (milliseconds > longestMs) longestMs = milliseconds
}

/** Lets the first work in the queue go on; when it pauses and the turn has time left, the next one. */
function admit(): void {
  const [first, second] = isForLong ? [waiting, begun] : [begun, waiting]
  const next = first.shift() ?? second.shift()
  next?.()
  // Runs after everything that the admitted work does before its next wait.
  if (worksWaiting() > 0) queueMicrotask(() => process.nextTick(admitMore))
}

function admitMore(): void {
  if (isTurnOver()) watchTurn()
  else admit()
}

/** Tells work, between two turns of the event loop, whether it is still wanted. An AbortSignal is a StopSignal. */
export interface StopSignal {
  /** Throws when the work is not wanted any more. */
  throwIfAborted(): void
  /** Called before the work waits for a turn; returns a promise where it has to wait for something else first. */
  goOn?(): Promise<void> | undefined
}

/**
 * Keeps long work in short turns: call `if (pace.isOver) await pace.nextTurn()` before each step, and keep each
 * step well below a millisecond. All work of the thread shares the turn's time; while some is left, no work waits.
 */
export class Pace {
  readonly #places = new TurnPlaces()

  /** @param signal asked after each wait; what it throws ends the work */
  constructor(private readonly signal?: StopSignal) {}

  get isOver(): boolean {
    return isTurnOver()
  }

  async nextTurn(): Promise<void> {
    const wait = this.signal?.goOn?.()
    if (wait !== undefined) await wait
    await nextTurn(this.#places.next())
    this.signal?.throwIfAborted()
  }
}
