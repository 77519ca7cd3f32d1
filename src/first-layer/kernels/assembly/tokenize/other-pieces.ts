// Pieces that the piece table cannot hold, with their ids: those that are too long or have too many ids. The vocabulary's
// are tokens that no merge gives and that only encode a whole piece. The others are pieces of earlier texts, which are all
// forgotten when there is no room for more.
import { exponentOf, reserve } from '../own-memory'
import { keyHigh, keyLow, lowKey } from './piece-table'
import { putIds } from './vocabulary'

/** Slots of sixteen bytes: where the piece's bytes are (0: free), how many, where its ids are, how many. */
const SLOT: usize = 16
export const IDS: usize = 8
export const COUNT: usize = 12
/** Bytes for pieces of earlier texts and their ids, and the fewest that a piece takes: sixteen bytes and an id. */
const ROOM: usize = 1 << 19
const LEAST: usize = 20
/** The most bytes that a piece of 64 takes. */
const MOST: usize = 64 * 5 + 4

let slots: usize = 0
let shift: u64 = 0
let lastSlot: usize = 0
/** Bytes of the longest piece that may have a slot. */
let longest: usize = 64
/** Where the ids of pieces of earlier texts begin, and where they may no more. */
let passing: usize = 0
let end: usize = 0
/** Where the ids of the next piece are to be written. */
export let free: usize = 0

/** Reserves room for `whole` tokens of the vocabulary, and for pieces of texts. */
export function reserveOtherPieces(whole: u32): void {
  const bits = exponentOf(2 * (whole + <u32>(ROOM / LEAST)))
  slots = reserve(SLOT << bits)
  shift = 64 - bits
  lastSlot = (((<usize>1) << bits) - 1) * SLOT
  free = passing = reserve(ROOM + ((<usize>whole) << 2))
  end = free + ROOM + ((<usize>whole) << 2)
}

/** The next eight bytes of a piece, of which `left` bytes are left, or zeros for those that it lacks. */
// @inline
function wordAt(at: usize, left: usize): u64 {
  return lowKey(at, min(left, 8))
}

function isSame(a: usize, b: usize, length: usize): bool {
  for (let i: usize = 0; i < length; i += 8)
    if (wordAt(a + i, length - i) !== wordAt(b + i, length - i)) return false
  return true
}

/** The slot that has the piece at `at`, or the free one where the search for it ends. */
function search(at: usize, length: usize): usize {
  let hash = <u64>length
  // Two secret keys: a client cannot construct pieces that collide.
  for (let i: usize = 0; i < length; i += 8) {
    hash = (hash ^ wordAt(at + i, length - i)) * keyLow
    hash = (hash ^ (hash >> 32)) * keyHigh
  }
  let offset = <usize>(hash >> shift) * SLOT
  while (true) {
    const slot = slots + offset
    const bytes = <usize>load<u32>(slot)
    if (bytes === 0 || (load<u32>(slot, 4) === <u32>length && isSame(bytes, at, length))) return slot
    offset = (offset + SLOT) & lastSlot
  }
}

/** The slot with the ids of the piece at `at`, or 0. */
export function otherPiece(at: usize, length: usize): usize {
  if (length > longest) return 0
  const slot = search(at, length)
  return load<u32>(slot) === 0 ? 0 : slot
}

/** Adds the piece at `at`, whose bytes stay there and whose ids stand from `free` to `idsEnd`; returns its slot. */
function add(at: usize, length: usize, idsEnd: usize): usize {
  const slot = search(at, length)
  store<u32>(slot, <u32>at)
  store<u32>(slot, <u32>length, 4)
  store<u32>(slot, <u32>free, IDS)
  store<u32>(slot, <u32>((idsEnd - free) >> 2), COUNT)
  return slot
}

/** Keeps a copy of the piece at `at`, whose ids have been written from `free` to `idsEnd`; returns its slot. */
export function keepPiece(at: usize, length: usize, idsEnd: usize): usize {
  memory.copy(idsEnd, at, length)
  const slot = add(idsEnd, length, idsEnd)
  free = (idsEnd + length + 3) & ~3
  return slot
}

/** Adds a token of at least 16 bytes, whose bytes stay at `at`. All tokens must be added before any other piece. */
export function addWholePiece(token: u32, at: usize, length: usize): void {
  const idsEnd = putIds(token, free)
  add(at, length, idsEnd)
  free = passing = idsEnd
  longest = max(longest, length)
}

/** Forgets the pieces of earlier texts if there is no room for `count` more. Slots change. */
// @inline
export function makeOtherRoom(count: usize): void {
  if (free + count * MOST > end) forget()
}

function forget(): void {
  for (let slot = slots; slot <= slots + lastSlot; slot += SLOT)
    if (<usize>load<u32>(slot, IDS) >= passing) memory.fill(slot, 0, SLOT)
  free = passing
}
