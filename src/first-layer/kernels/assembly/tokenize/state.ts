// The state of the work on a document, which only this file changes: other files read the variables and call the
// functions below (the type checker allows no assignment to an imported variable).
//
// The window holds the text that is not ids yet. All places are offsets from the window's first byte, so that the
// text can be moved (`shift`); text that has left the window has negative places.
//
//     text  | has its ids | the piece so far | not scanned yet | free
//           0         pieceStart          scanEnd           textEnd
//
// A long piece is merged a part at a time while it is still being scanned (long.ts). The tokens that cover the part
// merged so far lie on a stack. The first of them are settled: no text to come can change them. These are written out
// and forgotten, except the last one, which stays at the bottom because the next token depends on it.
//
//     text  | forgotten | covered by the stack | to be merged | maybe the next piece's
//       pieceStart  stackStart             stackEnd        knownEnd
//
//     stack | forgotten's last | written | settled | may be taken back
//           0            carriedCount  writtenCount  settledCount   stackDepth
//
// Invariants between two calls from the host:
// - pieceStart ≤ scanEnd ≤ textEnd; pieceStart = scanEnd if pieceRun is START;
// - pieceStart ≤ fallbackEnd ≤ textEnd and pieceStart ≤ lastSpace ≤ textEnd, unless pieceRun is START;
// - if isLong: pieceStart ≤ stackStart ≤ stackEnd ≤ knownEnd ≤ textEnd;
// - if isLong: carriedCount ≤ writtenCount ≤ settledCount ≤ stackDepth, and carriedCount is 0 or 1;
// - if isLong: the tokens from carriedCount on are the merged form of the text from stackStart to stackEnd;
// - unless isLong, no place of the window is marked dead (window.ts).
import { NONE } from './tables'

export let textEnd: i32 = 0

/** The kinds of run that a piece can be so far; each pattern uses some. START: nothing of it has been scanned. */
export const START: i32 = 0
export const LETTERS: i32 = 1
export const NUMBERS: i32 = 2
export const SYMBOLS: i32 = 3
export const SYMBOL_LINES: i32 = 4
export const SPACES: i32 = 5
export const UPPER_RUN: i32 = 6
export const MIXED_RUN: i32 = 7
export const LOWER_RUN: i32 = 8

export let pieceRun: i32 = START
export let pieceStart: i32 = 0
export let scanEnd: i32 = 0
/** SPACES: where the last character starts. */
export let lastSpace: i32 = 0
/** SPACES: end of the last newline. MIXED_RUN: end of the last character without case. pieceStart: there was none. */
export let fallbackEnd: i32 = 0

/** Whether the piece is being merged a part at a time. */
export let isLong: bool = false
/** The piece reaches at least to here; it ends here if `isWhole`. */
export let knownEnd: i32 = 0
export let isWhole: bool = false
export let stackStart: i32 = 0
export let stackEnd: i32 = 0
export let stackDepth: i32 = 0
export let settledCount: i32 = 0
export let writtenCount: i32 = 0
export let carriedCount: i32 = 0
/** The token to try at stackEnd, or NONE for the longest that fits. */
export let trial: u32 = 0

/** Appends `bytes` to the text. */
// @inline
export function lengthenText(bytes: i32): void {
  textEnd += bytes
}

export function beginPiece(at: i32): void {
  pieceRun = START
  pieceStart = at
  scanEnd = at
}

/** Makes the piece that starts at `at` a run. */
// @inline
export function beginRun(at: i32): void {
  fallbackEnd = at
  lastSpace = at
}

// @inline
export function passSpace(at: i32): void {
  lastSpace = at
}

// @inline
export function noteFallback(end: i32): void {
  fallbackEnd = end
}

/** Notes that the piece is a run of this kind up to `at`, the end of the text that may be read. */
// @inline
export function pauseRun(run: i32, at: i32): void {
  pieceRun = run
  scanEnd = at
}

/** The place that the piece reaches at least, whatever text follows. */
export function certainEnd(): i32 {
  if (pieceRun === START) return pieceStart
  if (pieceRun === MIXED_RUN) return fallbackEnd
  if (pieceRun === SPACES) return fallbackEnd > pieceStart ? fallbackEnd : lastSpace
  return scanEnd
}

/** Begins to merge the piece a part at a time. */
// @inline
export function beginLong(): void {
  isLong = true
  stackStart = stackEnd = pieceStart
  stackDepth = carriedCount = writtenCount = settledCount = 0
  trial = NONE
  isWhole = false
}

// @inline
export function reachTo(end: i32): void {
  knownEnd = end
}

// @inline
export function endAt(end: i32): void {
  knownEnd = end
  isWhole = true
}

/** Notes a token put on the stack, which now covers the text up to `end`; any token may be tried next. */
// @inline
export function tokenPushed(end: i32): void {
  stackDepth++
  stackEnd = end
  trial = NONE
}

/** Notes that `token` of `length` bytes was taken off the stack: a shorter one is tried next in its place. */
// @inline
export function tokenPopped(token: u32, length: i32): void {
  stackDepth--
  stackEnd -= length
  trial = token
}

// @inline
export function settle(count: i32): void {
  settledCount = count
}

// @inline
export function tokensWritten(count: i32): void {
  writtenCount += count
}

/** Notes that the written tokens except the last have left the stack, with the `bytes` that they cover. */
// @inline
export function writtenForgotten(bytes: i32): void {
  stackStart += bytes
  stackDepth -= writtenCount - 1
  carriedCount = writtenCount = settledCount = 1
}

// @inline
export function endLong(): void {
  isLong = false
}

/** The first place whose text is needed. */
// @inline
export function liveStart(): i32 {
  return isLong ? stackStart : pieceStart
}

/** Notes that the text moved `by` bytes towards the window's start. */
export function shift(by: i32): void {
  pieceStart -= by
  scanEnd -= by
  textEnd -= by
  lastSpace -= by
  fallbackEnd -= by
  stackStart -= by
  stackEnd -= by
  knownEnd -= by
}

// @inline
export function forgetDocument(): void {
  isLong = false
  textEnd = 0
  beginPiece(0)
}

/** Writes the state as twelve numbers to `to`, with places counted from `start`. `readState` reads them back. */
// @inline
export function writeState(to: usize, start: i32): void {
  store<i32>(to, pieceRun | ((<i32>isLong) << 8) | ((<i32>isWhole) << 9) | (carriedCount << 10))
  store<i32>(to, pieceStart - start, 4)
  store<i32>(to, scanEnd - start, 8)
  store<i32>(to, lastSpace - start, 12)
  store<i32>(to, fallbackEnd - start, 16)
  store<i32>(to, stackStart - start, 20)
  store<i32>(to, stackEnd - start, 24)
  store<i32>(to, stackDepth, 28)
  store<i32>(to, writtenCount, 32)
  store<u32>(to, trial, 36)
  store<i32>(to, knownEnd - start, 40)
  store<i32>(to, settledCount, 44)
}

/** Reads a state that `writeState` wrote. The text is `length` bytes long. */
// @inline
export function readState(from: usize, length: i32): void {
  textEnd = length
  const flags = load<i32>(from)
  pieceRun = flags & 0xff
  isLong = (flags & 0x100) !== 0
  isWhole = (flags & 0x200) !== 0
  carriedCount = (flags >> 10) & 1
  pieceStart = load<i32>(from, 4)
  scanEnd = load<i32>(from, 8)
  lastSpace = load<i32>(from, 12)
  fallbackEnd = load<i32>(from, 16)
  stackStart = load<i32>(from, 20)
  stackEnd = load<i32>(from, 24)
  stackDepth = load<i32>(from, 28)
  writtenCount = load<i32>(from, 32)
  trial = load<u32>(from, 36)
  knownEnd = load<i32>(from, 40)
  settledCount = load<i32>(from, 44)
}
