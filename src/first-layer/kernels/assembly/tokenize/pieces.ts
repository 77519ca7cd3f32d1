// Pieces to ids: looks each piece up in the piece table; merges those that the table lacks, many at a time, and
// adds them.
//
// The table is far larger than the caches, and code that branches on what a lookup finds would wait for each cache miss
// before the next. Therefore pieces are first listed; then a loop touches their slots, many cache misses at a time; a
// third loop compares the keys and lists, without branches, the pieces that are not in the first slot of their search.
// These are searched and merged. Then every piece has its ids, and the last loop writes them.

import { encodeWhole } from './long'
import { MANY, mergeAll, takeMerged, takePiece, WIDE } from './merge'
import { highKey, keyHigh, keyLow, longKey, lowKey, MAX_PIECE } from './piece-key'
import {
  addPassing,
  free,
  isFree,
  longest,
  makePassingRoom,
  search,
  shift,
  slotOf,
  slots,
  writeIds,
} from './piece-table'
import { putIds } from './tables'

/** The most pieces on the list: those of one scan. */
const LIST: u32 = 256
// A listed piece: its key; its place and its length; its slot, or 0.
const AT: usize = 16
const LENGTH: usize = 20
const SLOT: usize = 24
const ENTRY: usize = 32
const list: usize = memory.data(256 * 32, 64)
/** The end of the listed pieces. */
let listed: usize = list
/** In place of the second half of a key: a piece too long for the table. */
const NO_KEY: u64 = 0

/** Receives the sum of the slots read ahead: the compiler drops loads whose value is not stored. */
const TOUCHED: usize = memory.data(8, 8)

/**
 * Lists the pieces of one scan, for which there is room: from `start` of the text at `base` to each of the places (int32)
 * from `mark` on. Stops before a piece that is longer than `most`; returns the address of the first place that is left.
 */
export function listPieces(mark: usize, end: usize, base: usize, start: i32, most: i32): usize {
  // Locals stay in registers.
  const at = slots
  const bits = shift
  const low = keyLow
  const high = keyHigh
  let entry = listed
  while (mark < end) {
    const place = load<i32>(mark)
    if (place - start > most) break
    entry = putPiece(entry, base + start, place - start, at, bits, low, high)
    start = place
    mark += 4
  }
  listed = entry
  return mark
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
  } else store<u64>(entry, NO_KEY, 8)
  return entry + ENTRY
}

/** Reads the slots of the listed pieces. A piece too long for the table has an old slot in its entry: harmless. */
function touchListed(): void {
  let a: u64 = 0
  let b: u64 = 0
  for (let entry = list; entry + 2 * ENTRY <= listed; entry += 2 * ENTRY) {
    a += load<u64>(<usize>load<u32>(entry, SLOT))
    b += load<u64>(<usize>load<u32>(entry, SLOT + ENTRY))
  }
  store<u64>(TOUCHED, a + b)
}

/** Addresses of the entries that are still to be found, and of those that are being merged. */
const unfound: usize = memory.data(257 * 4, 16)
const taken: usize = memory.data(32 * 4, 16)
let takenCount: u32 = 0
/** The tokens of a long piece. */
const tokens: usize = memory.data(512 * 4, 16)

/** Writes the ids of the listed pieces to `out`; returns where they end. Touches 20 bytes beyond. */
export function encodeListed(out: usize): usize {
  touchListed()
  makePassingRoom(LIST)
  const end = listed
  let last = unfound
  for (let entry = list; entry < end; entry += ENTRY) {
    const slot = <usize>load<u32>(entry, SLOT)
    const high = load<u64>(entry, 8)
    store<u32>(last, <u32>entry)
    const isFound =
      u32(load<u64>(slot + 8) === high) & u32(load<u64>(slot) === load<u64>(entry)) & u32(high !== NO_KEY)
    last += select<usize>(0, 4, isFound)
  }
  for (let at = unfound; at < last; at += 4) find(<usize>load<u32>(at))
  if (takenCount > 0) keepTaken()
  for (let entry = list; entry < end; entry += ENTRY) {
    const slot = <usize>load<u32>(entry, SLOT)
    out = slot !== 0 ? writeIds(slot, out) : writeLong(entry, out)
  }
  listed = list
  return out
}

/** Finds the slot of an entry's piece, or takes the piece to merge it; without a slot it is a long one. */
function find(entry: usize): void {
  const at = <usize>load<u32>(entry, AT)
  const length = <usize>load<u32>(entry, LENGTH)
  if (length > MAX_PIECE) {
    const low = longKey(at, min(length, longest))
    store<u64>(entry, low)
    store<u64>(entry, ~(<u64>length), 8)
    store<u32>(entry, <u32>slotOf(low, ~(<u64>length)), SLOT)
  }
  const slot = search(<usize>load<u32>(entry, SLOT), load<u64>(entry), load<u64>(entry, 8), at)
  const isMissed = isFree(slot)
  store<u32>(entry, isMissed ? 0 : <u32>slot, SLOT)
  if (!isMissed || length > WIDE) return
  store<u32>(taken + ((<usize>takenCount) << 2), <u32>entry)
  takenCount++
  takePiece(at, length)
  if (takenCount === MANY) keepTaken()
}

/** Merges the pieces taken and keeps their ids. */
function keepTaken(): void {
  mergeAll()
  for (let k: u32 = 0; k < takenCount; k++) {
    const entry = <usize>load<u32>(taken + ((<usize>k) << 2))
    const idsEnd = takeMerged(k, free)
    const slot = addPassing(
      load<u64>(entry),
      load<u64>(entry, 8),
      load<u32>(entry, AT),
      load<u32>(entry, LENGTH),
      idsEnd,
    )
    store<u32>(entry, <u32>slot, SLOT)
  }
  takenCount = 0
}

/** Writes the ids of a long piece. */
function writeLong(entry: usize, out: usize): usize {
  const at = <usize>load<u32>(entry, AT)
  const end = encodeWhole(at, at + <usize>load<u32>(entry, LENGTH), tokens)
  for (let token = tokens; token < end; token += 4) out = putIds(load<u32>(token), out)
  return out
}
