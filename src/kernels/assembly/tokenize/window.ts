// The part of a document that is not ids yet, and how far the work on it has come. All places in a text are offsets
// from the window's first byte, so that the text can move; what has left the window has a negative place.
import { reserve } from '../own-memory'

/** Bytes that may be read, never used, behind the text. */
const SLACK: usize = 64

/** The text; one byte of flags for each place in it, zero but while a long piece is merged; a long piece's tokens. */
export let text: usize = 0
export let dead: usize = 0
export let stack: usize = 0
let capacity: i32 = 0

/** What the piece is so far; START where none has begun. A pattern uses those that it knows. */
export const START: i32 = 0
export const LETTERS: i32 = 1
export const NUMBERS: i32 = 2
export const SYMBOLS: i32 = 3
export const SYMBOL_LINES: i32 = 4
export const SPACES: i32 = 5
export const UPPER_RUN: i32 = 6
export const MIXED_RUN: i32 = 7
export const LOWER_RUN: i32 = 8

export let state: i32 = START
export let pieceStart: i32 = 0
export let scanned: i32 = 0
export let textEnd: i32 = 0
/** SPACES: start of the last character. */
export let lastStart: i32 = 0
/** SPACES: end of the last newline, MIXED_RUN: end of the last character without case; at the piece's start: none. */
export let keptEnd: i32 = 0

/** Whether a piece is being merged a part at a time (long.ts). */
export let long: bool = false
/** Where the tokens on the stack begin and end in the text. */
export let longStart: i32 = 0
export let longAt: i32 = 0
/** How many tokens are on the stack, how many of these are settled, given out, and given out before `longStart` (0 or 1). */
export let depth: i32 = 0
export let due: i32 = 0
export let given: i32 = 0
export let floor: i32 = 0
/** The token to try next, or NONE for the longest that fits. */
export let trial: u32 = 0
/** The piece reaches at least to `known`; it ends there if `whole`. */
export let known: i32 = 0
export let whole: bool = false

export function reserveWindow(bytes: i32): void {
  capacity = bytes
  text = reserve(bytes + SLACK)
  dead = reserve(bytes + SLACK)
  stack = reserve((<usize>bytes + 1) << 2)
}

/** Moves the text so that `bytes` more fit behind it; returns the address where they go. */
export function makeRoom(bytes: i32): usize {
  if (textEnd + bytes > capacity) move(bytes)
  return text + textEnd
}

function move(bytes: i32): void {
  const start = long ? longStart : pieceStart
  const live = textEnd - start
  const oldText = text
  const oldDead = dead
  const oldStack = stack
  // Half empty afterwards, so that moving costs less than what the freed room is good for.
  if (live + bytes > capacity / 2) {
    let grown = capacity
    while (live + bytes > grown / 2) grown *= 2
    reserveWindow(grown)
  }
  memory.copy(text, oldText + start, live)
  if (long) {
    memory.copy(dead, oldDead + start, live + 1)
    if (dead === oldDead) memory.fill(dead + live + 1, 0, start)
    else memory.copy(stack, oldStack, depth << 2)
  }
  shift(start)
}

function shift(by: i32): void {
  pieceStart -= by
  scanned -= by
  textEnd -= by
  lastStart -= by
  keptEnd -= by
  longStart -= by
  longAt -= by
  known -= by
}

export function begin(at: i32): void {
  state = START
  pieceStart = at
  scanned = at
}

/** How far the piece reaches whatever comes. */
export function certainEnd(): i32 {
  if (state === START) return pieceStart
  if (state === MIXED_RUN) return keptEnd
  if (state === SPACES) return keptEnd > pieceStart ? keptEnd : lastStart
  return scanned
}

// Another document may want the window: the host takes the state, the live text, its flags and the stack, and brings
// them back later.

const SAVED: usize = memory.data(64, 16)

/** Where the state is written to and read from: 16 numbers. The first three are the sizes of text, flags and stack in bytes. */
export function saveState(): usize {
  const start = long ? longStart : pieceStart
  store<i32>(SAVED, textEnd - start)
  store<i32>(SAVED + 4, long ? textEnd - start + 1 : 0)
  store<i32>(SAVED + 8, long ? depth << 2 : 0)
  store<i32>(SAVED + 12, start)
  store<i32>(SAVED + 16, state | ((<i32>long) << 8) | ((<i32>whole) << 9) | (floor << 10))
  store<i32>(SAVED + 20, pieceStart - start)
  store<i32>(SAVED + 24, scanned - start)
  store<i32>(SAVED + 28, lastStart - start)
  store<i32>(SAVED + 32, keptEnd - start)
  store<i32>(SAVED + 36, longStart - start)
  store<i32>(SAVED + 40, longAt - start)
  store<i32>(SAVED + 44, depth)
  store<i32>(SAVED + 48, given)
  store<u32>(SAVED + 52, trial)
  store<i32>(SAVED + 56, known - start)
  store<i32>(SAVED + 60, due)
  return SAVED
}

/** Empties the window for another document. */
export function clear(): void {
  if (long) memory.fill(dead + longStart, 0, textEnd - longStart + 1)
  long = false
  textEnd = 0
  begin(0)
}

/** Takes the state from where `saveState` wrote it; text, flags and stack are brought by the host, to the three addresses. */
export function restoreState(): void {
  clear()
  const live = load<i32>(SAVED)
  if (live > capacity / 2) makeRoom(2 * live)
  textEnd = live
  const flags = load<i32>(SAVED + 16)
  state = flags & 0xff
  long = (flags & 0x100) !== 0
  whole = (flags & 0x200) !== 0
  floor = (flags >> 10) & 1
  pieceStart = load<i32>(SAVED + 20)
  scanned = load<i32>(SAVED + 24)
  lastStart = load<i32>(SAVED + 28)
  keptEnd = load<i32>(SAVED + 32)
  longStart = load<i32>(SAVED + 36)
  longAt = load<i32>(SAVED + 40)
  depth = load<i32>(SAVED + 44)
  given = load<i32>(SAVED + 48)
  trial = load<u32>(SAVED + 52)
  known = load<i32>(SAVED + 56)
  due = load<i32>(SAVED + 60)
}
