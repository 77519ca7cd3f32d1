// Pieces to ids: looks each piece up in the piece table; merges those that the table lacks, many at a time, and
// adds them.
//
// The table is far larger than the caches, and the code after a lookup branches on the result, so each cache miss would
// wait for the one before. Therefore pieces are first listed; then a loop touches their slots, many cache misses at a
// time; then the pieces are encoded.

import { isLooseIndent, writeIndent } from './indents'
import { encodeLong } from './long'
import { MANY, mergeAll, mergedCount, takeMerged, takePiece, WIDE } from './merge'
import { addPassing, highKey, lowKey, MAX_IDS, MAX_PIECE, mask, slotOf, slots, writeIds } from './piece-table'
import { NONE } from './tables'
import { wholePiece } from './whole-pieces'

const LIST: u32 = 256
const ENTRY: usize = 12
const list: usize = memory.data(256 * 12, 16)
let listed: usize = list
/** Receives the sum of the slots read ahead: the compiler drops loads whose value is not stored. */
const TOUCHED: usize = memory.data(8, 8)

/** Puts a piece on the list; true when the list is full. */
// @inline
export function listPiece(at: usize, length: usize): bool {
  const entry = listed
  store<u32>(entry, <u32>at)
  store<u32>(entry, <u32>length, 4)
  if (length <= MAX_PIECE) {
    store<u32>(entry, slotOf(lowKey(at, length), highKey(at, length)), 8)
  }
  listed = entry + ENTRY
  return listed === list + LIST * ENTRY
}

/** Reads the slots of the listed pieces. A piece too long for the table has an old slot in its entry: harmless. */
function touchListed(): void {
  let a: u64 = 0
  let b: u64 = 0
  for (let entry = list; entry + 2 * ENTRY <= listed; entry += 2 * ENTRY) {
    a += load<u64>(slots + ((<usize>load<u32>(entry, 8)) << 5))
    b += load<u64>(slots + ((<usize>load<u32>(entry, 8 + ENTRY)) << 5))
  }
  store<u64>(TOUCHED, a + b)
}

// A piece that the table lacks: its key (0 for a piece that is too long), and the place of its ids among the others'.
const MISSED: usize = 24
const missed: usize = memory.data(32 * 24, 16)
let misses: u32 = 0

/** Writes the ids of the listed pieces to `out`; returns where they end. Touches 24 bytes beyond. */
export function encodeListed(out: usize): usize {
  touchListed()
  for (let entry = list; entry < listed; entry += ENTRY) {
    const at = <usize>load<u32>(entry)
    const length = <usize>load<u32>(entry, 4)
    out =
      length <= MAX_PIECE
        ? encodeTabled(at, length, load<u32>(entry, 8), out)
        : encodeUntabled(at, length, out)
    if (misses === MANY) out = insertMissed(out)
  }
  listed = list
  return misses ? insertMissed(out) : out
}

// @inline
function encodeTabled(at: usize, length: usize, i: u32, out: usize): usize {
  const low = lowKey(at, length)
  const high = highKey(at, length)
  while (true) {
    const slot = slots + ((<usize>i) << 5)
    const found = load<u64>(slot + 8)
    if (found === high && load<u64>(slot) === low) return writeIds(slot, out)
    if (found === 0) return miss(at, length, out, low, high)
    i = (i + 1) & mask
  }
}

function encodeUntabled(at: usize, length: usize, out: usize): usize {
  const whole = wholePiece(at, length)
  if (whole !== NONE) {
    store<u32>(out, whole)
    return out + 4
  }
  return isWide(at, length) ? encodeLong(at, at + length, out) : miss(at, length, out, 0, 0)
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

function miss(at: usize, length: usize, out: usize, low: u64, high: u64): usize {
  if (isLooseIndent(at, length)) return writeIndent(length, out)
  const entry = missed + <usize>misses * MISSED
  misses++
  store<u64>(entry, low)
  store<u64>(entry, high, 8)
  store<u32>(entry, <u32>out, 16)
  takePiece(at, length)
  return out
}

/** Merges the missed pieces and inserts their ids among those before `end`; returns the new end. */
function insertMissed(end: usize): usize {
  mergeAll()
  let more: usize = 0
  for (let k: u32 = 0; k < misses; k++) more += (<usize>mergedCount(k)) << 2
  const newEnd = end + more
  for (let k = misses; more; ) {
    const entry = missed + <usize>--k * MISSED
    const place = <usize>load<u32>(entry, 16)
    memory.copy(place + more, place, end - place)
    end = place
    const count = mergedCount(k)
    more -= (<usize>count) << 2
    takeMerged(k, place + more)
    const high = load<u64>(entry, 8)
    if (high !== 0 && count <= MAX_IDS) addPassing(load<u64>(entry), high, count, place + more)
  }
  misses = 0
  return newEnd
}
