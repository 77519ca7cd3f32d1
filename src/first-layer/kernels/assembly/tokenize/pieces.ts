// Pieces to ids: looks each piece up in the piece table; merges those that the table lacks, many at a time, and
// adds them.
//
// The table is far larger than the caches, and code that branches on what a lookup finds would wait for each cache miss
// before the next. Therefore pieces are first listed; then a loop touches their slots, many cache misses at a time; a
// third loop compares the keys and lists, without branches, the pieces that are not in the first slot of their search.
// These are searched and merged. Then every piece has its ids, and the last loop writes them.

import { isLooseIndent, writeIndent } from './indents'
import { encodeLong } from './long'
import { MANY, mergeAll, mergedCount, takeMerged, takePiece, WIDE } from './merge'
import {
  addPassing,
  findSlot,
  highKey,
  keyHigh,
  keyLow,
  lowKey,
  MAX_IDS,
  MAX_PIECE,
  makePassingRoom,
  shift,
  slots,
  writeIds,
} from './piece-table'
import { NONE } from './tables'
import { wholePiece } from './whole-pieces'

/** Pieces on the list when they are encoded, and the most that one block adds. */
const LIST: u32 = 256
const BLOCK: u32 = 64
// A listed piece: its key; its place and its length; its slot, or 0 and how its ids are to be had.
const AT: usize = 16
const LENGTH: usize = 20
const SLOT: usize = 24
const HOW: usize = 28
const ENTRY: usize = 32
const list: usize = memory.data((256 + 64) * 32, 64)
let listed: usize = list
/** Bytes of the wide pieces listed since the last `forgetWide`. */
export let wide: i32 = 0

export function forgetWide(): void {
  wide = 0
}

/** A piece that has no slot: its token is at AT. */
const ONE_TOKEN: u32 = 0
/** LENGTH ids are stored at the address AT. */
const MERGED: u32 = 1
const INDENT: u32 = 2
const LONG: u32 = 3

/** In place of the second half of a key: a piece too long for the table. */
const NO_KEY: u64 = 0

/** Receives the sum of the slots read ahead: the compiler drops loads whose value is not stored. */
const TOUCHED: usize = memory.data(8, 8)

/** Puts a piece on the list; true when it is time to encode the listed ones. */
export function listPiece(at: usize, length: usize): bool {
  listed = putPiece(listed, at, length, slots, shift, keyLow, keyHigh)
  return listed >= list + LIST * ENTRY
}

/**
 * Lists the pieces of a block at `at`, one from each bit of `starts` to the next. Call `isListFull` behind it: the list has
 * room for one block more.
 */
export function listBlock(at: usize, starts: u64): void {
  // Locals stay in registers.
  const base = slots
  const bits = shift
  const low = keyLow
  const high = keyHigh
  let entry = listed
  let start = at + <usize>ctz(starts)
  for (let left = starts & (starts - 1); left; left &= left - 1) {
    const next = at + <usize>ctz(left)
    entry = putPiece(entry, start, next - start, base, bits, low, high)
    start = next
  }
  listed = entry
}

// @inline
export function isListFull(): bool {
  return listed >= list + LIST * ENTRY
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
const unfound: usize = memory.data((256 + 64) * 4 + 4, 16)
const taken: usize = memory.data(32 * 4, 16)
let takenCount: u32 = 0
/** Ids that no slot can hold. */
const spilled: usize = memory.data((256 + 64) * 64 * 4, 16)
let spilledEnd: usize = spilled

/** Writes the ids of the listed pieces to `out`; returns where they end. Touches 24 bytes beyond. */
export function encodeListed(out: usize): usize {
  touchListed()
  makePassingRoom(LIST + BLOCK)
  let end = unfound
  for (let entry = list; entry < listed; entry += ENTRY) {
    const slot = <usize>load<u32>(entry, SLOT)
    const high = load<u64>(entry, 8)
    store<u32>(end, <u32>entry)
    const isFound =
      u32(load<u64>(slot + 8) === high) & u32(load<u64>(slot) === load<u64>(entry)) & u32(high !== NO_KEY)
    end += select<usize>(0, 4, isFound)
  }
  for (let at = unfound; at < end; at += 4) find(<usize>load<u32>(at))
  if (takenCount > 0) keepTaken()
  for (let entry = list; entry < listed; entry += ENTRY) {
    const slot = <usize>load<u32>(entry, SLOT)
    out = slot !== 0 ? writeIds(slot, out) : writeOther(entry, out)
  }
  listed = list
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
  if (isLooseIndent(at, length)) {
    store<u32>(entry, INDENT, HOW)
    return
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
  if (how === INDENT) return writeIndent(length, out)
  if (how === LONG) return encodeLong(at, at + length, out)
  if (how === ONE_TOKEN) {
    store<u32>(out, <u32>at)
    return out + 4
  }
  for (let i: usize = 0; i < length; i += 4) v128.store(out + (i << 2), v128.load(at + (i << 2)))
  return out + (length << 2)
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
