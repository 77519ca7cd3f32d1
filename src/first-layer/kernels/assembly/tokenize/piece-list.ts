// The pieces that wait for their ids: each with its key in the piece table and the slot where the search for it begins.
import { WIDE } from './merge-work'
import { highKey, keyHigh, keyLow, lowKey, MAX_PIECE } from './piece-key'
import { shift, slots } from './piece-table'

/** The most pieces on the list: those of one scan. */
export const LIST: u32 = 256
// A listed piece: its key; its place and its length; its slot, or 0.
export const AT: usize = 16
export const LENGTH: usize = 20
export const SLOT: usize = 24
export const ENTRY: usize = 32
export const list: usize = memory.data(256 * 32, 64)
/** The end of the listed pieces. */
export let listed: usize = list
/** Bytes of wide pieces that are encoded between two checks of the tries. */
export const WIDE_BYTES: i32 = 512
/** Bytes of the wide pieces listed since the last `forgetWide`. */
export let wide: i32 = 0

export function forgetWide(): void {
  wide = 0
}

/** In place of the second half of a key: a piece too long for the table. */
export const NO_KEY: u64 = 0

/** Receives the sum of the slots read ahead: the compiler drops loads whose value is not stored. */
const TOUCHED: usize = memory.data(8, 8)

/**
 * Lists the pieces of one scan, for which there is room: from `start` of the text at `base` to each of the places (int32)
 * from `mark` on. Stops before a piece that is longer than `longest`, and behind so many wide ones that they are to be
 * encoded first; returns the address of the first place that is left.
 */
export function listPieces(mark: usize, end: usize, base: usize, start: i32, longest: i32): usize {
  // Locals stay in registers.
  const at = slots
  const bits = shift
  const low = keyLow
  const high = keyHigh
  let entry = listed
  while (mark < end && wide < WIDE_BYTES) {
    const place = load<i32>(mark)
    if (place - start > longest) break
    entry = putPiece(entry, base + start, place - start, at, bits, low, high)
    start = place
    mark += 4
  }
  listed = entry
  return mark
}

export function emptyList(): void {
  listed = list
}

// @inline
function putPiece(
  entry: usize,
  at: usize,
  length: usize,
  base: usize,
  bits: u64,
  keyOfLow: u64,
  keyOfHigh: u64,
): usize {
  store<u32>(entry, <u32>at, AT)
  store<u32>(entry, <u32>length, LENGTH)
  if (length <= MAX_PIECE) {
    const low = lowKey(at, length)
    const high = highKey(at, length)
    store<u64>(entry, low)
    store<u64>(entry, high, 8)
    store<u32>(entry, <u32>(base + ((<usize>((low * keyOfLow + high * keyOfHigh) >> bits)) << 5)), SLOT)
  } else {
    store<u64>(entry, NO_KEY, 8)
    wide += isWide(at, length) ? <i32>length : 0
  }
  return entry + ENTRY
}

/** Reads the slots of the listed pieces. A piece too long for the table has an old slot in its entry: harmless. */
export function touchListed(): void {
  let a: u64 = 0
  let b: u64 = 0
  for (let entry = list; entry + 2 * ENTRY <= listed; entry += 2 * ENTRY) {
    a += load<u64>(<usize>load<u32>(entry, SLOT))
    b += load<u64>(<usize>load<u32>(entry, SLOT + ENTRY))
  }
  store<u64>(TOUCHED, a + b)
}

/**
 * Whether a piece is encoded by tries of tokens, which can be many: a long piece, or one character repeated, as
 * in rulers and indents. Such pieces have long tokens, and merging would take many steps.
 */
// @inline
export function isWide(at: usize, length: usize): bool {
  if (length <= MAX_PIECE) return false
  return length > WIDE || (load<u64>(at) === load<u64>(at + 1) && load<u64>(at + 7) === load<u64>(at + 8))
}
