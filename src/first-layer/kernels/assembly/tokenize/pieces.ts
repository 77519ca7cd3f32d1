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
import { longKey, MAX_PIECE } from './piece-key'
import {
  AT,
  ENTRY,
  emptyList,
  isWide,
  LENGTH,
  LIST,
  list,
  listed,
  NO_KEY,
  SLOT,
  touchListed,
} from './piece-list'
import { addPassing, free, isFree, longest, makePassingRoom, search, slotOf, writeIds } from './piece-table'
import { putIds } from './tables'

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
  emptyList()
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
  if (!isMissed || isWide(at, length)) return
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
  const end = encodeLong(at, at + <usize>load<u32>(entry, LENGTH), tokens)
  for (let token = tokens; token < end; token += 4) out = putIds(load<u32>(token), out)
  return out
}
