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
// - pieceStart ≤ lastMatch ≤ scanEnd ≤ textEnd; pieceStart = scanEnd if pieceRun is START;
// - if isLong: pieceStart ≤ stackStart ≤ stackEnd ≤ knownEnd ≤ textEnd;
// - if isLong: carriedCount ≤ writtenCount ≤ settledCount ≤ stackDepth, and carriedCount is 0 or 1;
// - if isLong: the tokens from carriedCount on are the merged form of the text from stackStart to stackEnd;
// - unless isLong, no place of the window is marked dead (window.ts).
import { NONE } from './tables'

export let textEnd: i32 = 0

/** The state of the scan of the piece (scan.ts). START: nothing of it has been scanned. */
export let pieceRun: u32 = 0
export const START: u32 = 0
/** With the region of the characters: the pattern matches nowhere from the piece's start to `scanEnd`. */
export const GAP: u32 = 0x10000000
export let pieceStart: i32 = 0
export let scanEnd: i32 = 0
/** The last place where the piece may end, whatever text follows; pieceStart: there is none yet. */
export let lastMatch: i32 = 0

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
  pieceStart = scanEnd = lastMatch = at
}

/** Notes that the piece before `at` is done and that the text behind it has been scanned. */
// @inline
export function passPiece(at: i32): void {
  pieceStart = at
}

// @inline
export function pauseScan(run: u32, at: i32, match: i32): void {
  pieceRun = run
  scanEnd = at
  lastMatch = match
}

/** The place that the piece reaches at least, whatever text follows. */
export function certainEnd(): i32 {
  return pieceRun >= GAP ? scanEnd : lastMatch
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
  lastMatch -= by
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
  store<i32>(to, <i32>isLong | ((<i32>isWhole) << 1) | (carriedCount << 2))
  store<i32>(to, pieceStart - start, 4)
  store<i32>(to, scanEnd - start, 8)
  store<i32>(to, lastMatch - start, 12)
  store<u32>(to, pieceRun, 16)
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
  isLong = (flags & 1) !== 0
  isWhole = (flags & 2) !== 0
  carriedCount = (flags >> 2) & 1
  pieceStart = load<i32>(from, 4)
  scanEnd = load<i32>(from, 8)
  lastMatch = load<i32>(from, 12)
  pieceRun = load<u32>(from, 16)
  stackStart = load<i32>(from, 20)
  stackEnd = load<i32>(from, 24)
  stackDepth = load<i32>(from, 28)
  writtenCount = load<i32>(from, 32)
  trial = load<u32>(from, 36)
  knownEnd = load<i32>(from, 40)
  settledCount = load<i32>(from, 44)
}
