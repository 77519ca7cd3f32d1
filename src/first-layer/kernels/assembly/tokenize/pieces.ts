// Pieces to ids: looks each piece up in the piece table; merges those that the table lacks, many at a time, and
// adds them.
//
// The table is far larger than the caches, and code that branches on what a lookup finds would wait for each cache miss
// before the next. Therefore pieces are first listed; then a loop touches their slots, many cache misses at a time; a
// third loop compares the keys and lists, without branches, the pieces that are not in the first slot of their search.
// These are searched and merged. Then every piece has its ids, and the last loop writes them.

import { encodeLong } from './long'
import { mergeAll, mergedCount, takeMerged, takePiece } from './merge'
import { MANY } from './merge-work'
import {
  AT,
  ENTRY,
  emptyList,
  HOW,
  isWide,
  LENGTH,
  LIST,
  list,
  listed,
  NO_KEY,
  SLOT,
  touchListed,
} from './piece-list'
import { addPassing, findSlot, MAX_IDS, makePassingRoom, writeIds } from './piece-table'
import { NONE } from './tables'
import { wholePiece } from './whole-pieces'

// How the ids of a piece without a slot are to be had.
/** Its token is at AT. */
const ONE_TOKEN: u32 = 0
/** LENGTH ids are stored at the address AT. */
const MERGED: u32 = 1
const LONG: u32 = 2

/** Addresses of the entries that are still to be found, and of those that are being merged. */
const unfound: usize = memory.data(257 * 4, 16)
const taken: usize = memory.data(32 * 4, 16)
let takenCount: u32 = 0
/** Ids that no slot can hold. */
const spilled: usize = memory.data(256 * 64 * 4, 16)
let spilledEnd: usize = spilled

/** Writes the ids of the listed pieces to `out`; returns where they end. Touches 24 bytes beyond. */
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
    out = slot !== 0 ? writeIds(slot, out) : writeOther(entry, out)
  }
  emptyList()
  spilledEnd = spilled
  return out
}

/** Finds the slot of an entry's piece, or notes how its ids are to be had; a piece to merge is taken. */
function find(entry: usize): void {
  const at = <usize>load<u32>(entry, AT)
  const length = <usize>load<u32>(entry, LENGTH)
  const high = load<u64>(entry, 8)
  if (high !== NO_KEY) {
    const slot = findSlot(<usize>load<u32>(entry, SLOT), load<u64>(entry), high)
    store<u32>(entry, <u32>slot, SLOT)
    if (slot !== 0) return
  } else {
    store<u32>(entry, 0, SLOT)
    const whole = wholePiece(at, length)
    if (whole !== NONE) {
      store<u32>(entry, whole, AT)
      store<u32>(entry, ONE_TOKEN, HOW)
      return
    }
    if (isWide(at, length)) {
      store<u32>(entry, LONG, HOW)
      return
    }
  }
  store<u32>(taken + ((<usize>takenCount) << 2), <u32>entry)
  takenCount++
  takePiece(at, length)
  if (takenCount === MANY) keepTaken()
}

/** Merges the pieces taken and keeps their ids, in a slot where one can hold them. */
function keepTaken(): void {
  mergeAll()
  for (let k: u32 = 0; k < takenCount; k++) {
    const entry = <usize>load<u32>(taken + ((<usize>k) << 2))
    const high = load<u64>(entry, 8)
    const count = mergedCount(k)
    takeMerged(k, spilledEnd)
    const slot =
      high !== NO_KEY && count <= MAX_IDS ? addPassing(load<u64>(entry), high, count, spilledEnd) : 0
    store<u32>(entry, <u32>slot, SLOT)
    if (slot !== 0) continue
    store<u32>(entry, <u32>spilledEnd, AT)
    store<u32>(entry, count, LENGTH)
    store<u32>(entry, MERGED, HOW)
    spilledEnd += (<usize>count) << 2
  }
  takenCount = 0
}

/** Writes the ids of a piece that has no slot. */
function writeOther(entry: usize, out: usize): usize {
  const at = <usize>load<u32>(entry, AT)
  const length = <usize>load<u32>(entry, LENGTH)
  const how = load<u32>(entry, HOW)
  if (how === LONG) return encodeLong(at, at + length, out)
  if (how === ONE_TOKEN) {
    store<u32>(out, <u32>at)
    return out + 4
  }
  for (let i: usize = 0; i < length; i += 4) v128.store(out + (i << 2), v128.load(at + (i << 2)))
  return out + (length << 2)
}
