// Pieces to ids: looks each piece up in the piece table; merges those that the table lacks, many at a time, and
// adds them.
//
// The table is far larger than the caches, and code that branches on what a lookup finds would wait for each cache miss
// before the next. Therefore pieces are first listed; then a loop touches their slots, many cache misses at a time; a
// third loop compares the keys and lists, without branches, the pieces that are not in the first slot of their search.
// These are searched and merged. Then every piece has its ids, and the last loop writes them.

import { encodeLong } from './long'
import { mergeAll, takeMerged, takePiece } from './merge'
import { MANY } from './merge-work'
import { COUNT, free, IDS, keepPiece, makeOtherRoom, otherPiece } from './other-pieces'
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
import { putIds } from './vocabulary'

// How the ids of a piece without a slot of the piece table are to be had.
/** Its slot of the other pieces is at AT. */
const KEPT: u32 = 0
const LONG: u32 = 1

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
  makeOtherRoom(LIST)
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
  return out
}

/** Finds the slot of an entry's piece, or notes how its ids are to be had; a piece to merge is taken. */
function find(entry: usize): void {
  const at = <usize>load<u32>(entry, AT)
  const length = <usize>load<u32>(entry, LENGTH)
  const high = load<u64>(entry, 8)
  const slot = high === NO_KEY ? 0 : findSlot(<usize>load<u32>(entry, SLOT), load<u64>(entry), high)
  store<u32>(entry, <u32>slot, SLOT)
  if (slot !== 0) return
  const other = length > MAX_IDS ? otherPiece(at, length) : 0
  if (other !== 0) {
    noteKept(entry, other)
    return
  }
  if (isWide(at, length)) {
    store<u32>(entry, LONG, HOW)
    return
  }
  store<u32>(taken + ((<usize>takenCount) << 2), <u32>entry)
  takenCount++
  takePiece(at, length)
  if (takenCount === MANY) keepTaken()
}

// @inline
function noteKept(entry: usize, slot: usize): void {
  store<u32>(entry, KEPT, HOW)
  store<u32>(entry, <u32>slot, AT)
}

/** Merges the pieces taken and keeps their ids. */
function keepTaken(): void {
  mergeAll()
  for (let k: u32 = 0; k < takenCount; k++) {
    const entry = <usize>load<u32>(taken + ((<usize>k) << 2))
    const high = load<u64>(entry, 8)
    const idsEnd = takeMerged(k, free)
    const count = <u32>(idsEnd - free) >> 2
    if (high !== NO_KEY && count <= MAX_IDS)
      store<u32>(entry, <u32>addPassing(load<u64>(entry), high, count, free), SLOT)
    else noteKept(entry, keepPiece(load<u32>(entry, AT), load<u32>(entry, LENGTH), idsEnd))
  }
  takenCount = 0
}

/** Writes the ids of a piece that has no slot of the piece table. */
function writeOther(entry: usize, out: usize): usize {
  const at = <usize>load<u32>(entry, AT)
  if (load<u32>(entry, HOW) === LONG) {
    const end = encodeLong(at, at + <usize>load<u32>(entry, LENGTH), tokens)
    for (let token = tokens; token < end; token += 4) out = putIds(load<u32>(token), out)
    return out
  }
  const end = out + ((<usize>load<u32>(at, COUNT)) << 2)
  for (let ids = <usize>load<u32>(at, IDS); out < end; ids += 16, out += 16) v128.store(out, v128.load(ids))
  return end
}
