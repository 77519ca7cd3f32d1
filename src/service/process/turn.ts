import type { Steps } from 'inlet-chat-template'
import type { Stop } from '../../first-layer/running/wait.js'
import { type BlockSource, type Blocks, begun } from '../../first-layer/tensors/blocks.js'

/** Tells work, between two turns, whether it is still wanted. An AbortSignal is a StopSignal. */
export interface StopSignal {
  /** Throws if the work is not wanted any more. */
  throwIfAborted(): void
  /** For how many turns it has waited. */
  turns?: number
}

/**
 * The memory that one request has reserved, and whether its answer is still wanted. Long work asks the claim
 * between two turns of the event loop whether to go on, and reserves memory before it allocates it.
 */
export interface Claim extends StopSignal, Stop {
  /**
   * Reserves bytes before they are allocated. Undefined if there is room at once, else a promise that settles when
   * there is: `await claim.take(n)` works in both cases.
   *
   * @throws InletError `invalid_request` at once if one request can never hold so many bytes. The promise rejects
   *   with `overloaded` where the wait is too long, and with the error that the claim is aborted with
   */
  take(bytes: number): Promise<void> | undefined
  /** Gives back reserved bytes before the request ends; all others go back when it ends. */
  give(bytes: number): void
  /**
   * Keeps the reservation until `work` has settled, even if the request ends before: work in another thread continues
   * to use the request's bytes.
   */
  outlast(work: Promise<unknown>): void
}

/** The client closed the connection: no answer can be sent, and the service has not failed. */
export class ClientGone extends Error {
  override readonly name = 'ClientGone'
}

/** Whether this error, or its cause, is that the client has gone. */
export function isClientGone(error: unknown): boolean {
  return error instanceof ClientGone || (error as { cause?: unknown } | null)?.cause instanceof ClientGone
}

/** Milliseconds that all work of one turn of the event loop shares; one more step may follow the last look. */
const TURN_MS = 1

/** Works that wait for a turn, in the order of their coming. */
const waiting: { readonly goOn: () => void; readonly isShort: boolean }[] = []
/** A work that has waited for more turns is a long one: answers that are sent for minutes, uploads. */
export const MOST_SHORT_TURNS = 256
let isWatched = false
/**
 * A turn accepts one connection. So a long one, such as a large JSON body takes, is followed by turns without work: one
 * for each so many milliseconds.
 */
const REST_MS = 4
let resting = 0
/** When this turn's measuring began (`performance.now()`); undefined: nothing has been measured in this turn. */
let began: number | undefined

/** Tasks of this thread that wait for the event loop, without the long ones, beside which others must run. */
export function worksWaiting(): number {
  return waiting.reduce((sum, { isShort }) => sum + Number(isShort), 0)
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
  return resting > 0 || now - began > TURN_MS
}

/**
 * Waits for the next turn. Waiting works continue in order of arrival until the turn's millisecond is over; at least one
 * continues. However many wait, a request that arrives is read after a millisecond.
 *
 * @param signal asked after the wait; what it throws ends the work
 */
export async function nextTurn(signal?: StopSignal): Promise<void> {
  const turns = 1 + (signal?.turns ?? 0)
  if (signal !== undefined) signal.turns = turns
  await new Promise<void>((goOn) => {
    waiting.push({ goOn, isShort: turns <= MOST_SHORT_TURNS })
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
  const took = began === undefined ? 0 : performance.now() - began
  began = undefined
  resting = resting > 0 ? resting - 1 : Math.floor(took / REST_MS)
  if (resting > 0) watch()
  else {
    if (waiting.length > 0) isTurnOver() // the first work's time counts too
    goOn()
  }
}

function goOn(): void {
  waiting.shift()?.goOn()
  // The tick comes after all that the work does before its next wait.
  if (waiting.length > 0) queueMicrotask(() => process.nextTick(goOnOrWatch))
}

function goOnOrWatch(): void {
  if (isTurnOver()) watch()
  else goOn()
}

/**
 * Waits for the next turn of the event loop, in order of arrival, where this one has used its millisecond. Called between
 * two slices of work: `while (writer.advance()) await turn(claim)`.
 *
 * Work that many requests may begin at the same moment looks and begins without an `await` between: `const wait = turn(claim);
 * if (wait !== undefined) await wait`.
 *
 * @param signal asked after the wait; what it throws ends the work
 */
export function turn(signal?: StopSignal): Promise<void> | undefined {
  return isTurnOver() ? nextTurn(signal) : undefined
}

/** Blocks in turns. */
export interface TurnedBlocks extends AsyncIterable<Uint8Array> {
  next(): Promise<IteratorResult<Uint8Array, void>>
  /** Ends them early. */
  return(): Promise<IteratorResult<Uint8Array, void>>
}

/** Blocks, each made in its turn, without empty ones. It is valid until the next one is asked for. */
export function inTurns(blocks: Blocks | BlockSource, signal: StopSignal): TurnedBlocks {
  const source = 'next' in blocks ? blocks : begun(blocks)
  const ended = async (error: unknown) => {
    await source.return?.() // the work gives back its buffers: nobody asks for more of it
    throw error
  }
  const turned: TurnedBlocks = {
    async next() {
      for (;;) {
        if (isTurnOver()) await nextTurn(signal).catch(ended)
        const made = source.next()
        const next = made instanceof Promise ? await made : made
        if (next.done || next.value.byteLength > 0) return next
      }
    },
    async return() {
      await source.return?.()
      return { done: true, value: undefined }
    },
    [Symbol.asyncIterator]: () => turned,
  }
  return turned
}

/** Runs the steps of a chat's template in turns, with the memory that they ask for. */
export async function stepsInTurns<Result>(steps: Steps<Result>, claim: Claim): Promise<Result> {
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
    if (value > 0) await claim.take(value)
    else await turn(claim)
  }
}
