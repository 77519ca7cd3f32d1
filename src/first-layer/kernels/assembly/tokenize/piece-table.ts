// The piece table: ids of whole pieces, so that most cost one look.
//
// The table holds the vocabulary and a bounded number of other pieces of earlier texts; when these become too many, it
// forgets all of them. The hash has a random key: a client cannot construct a text whose pieces collide.
import { exponentOf, reserve } from '../own-memory'
import { highKey, isLongKey, isSame, keyHigh, keyLow, longKey, lowKey, MAX_PIECE, setKeys } from './piece-key'
import { putIds } from './tables'

const MAX_IDS: u64 = 5

/** Set in the count of a piece that is not the vocabulary's. */
const PASSING: u64 = 8

/** Address of the slots, 32 bytes each, and the offset of the last one. */
export let slots: usize = 0
export let shift: u64 = 0
let lastSlot: usize = 0
let passing: u32 = 0
let maxPassing: u32 = 0
/** Bytes of the longest piece that may have a slot. */
export let longest: usize = 64

/** The fewest slots, four megabytes: texts have more pieces than a small vocabulary has tokens. */
const FEWEST: u32 = 1 << 17

/** Bytes for what has no room in slots: long pieces of earlier texts, and many ids. A piece of 64 bytes takes the most. */
const ROOM: usize = 1 << 21
const MOST: usize = 64 * 5 + 4
/** Where the ids of the next piece are to be written; where those of passing pieces begin, and may no more. */
export let free: usize = 0
let passingStart: usize = 0
let end: usize = 0

/** Room for `tokens` with `whole` others, and up to five eighths of the slots for pieces of texts. `low` and `high`: the hash's key. */
export function reservePieces(tokens: u32, whole: u32, low: u64, high: u64): void {
  const bits = exponentOf(max(2 * (tokens + whole), FEWEST))
  slots = reserve((<usize>32) << bits)
  shift = 64 - bits
  lastSlot = (((<usize>1) << bits) - 1) << 5
  maxPassing = (((<u32>5) << bits) >> 3) - tokens - whole
  setKeys(low, high)
  free = passingStart = reserve(ROOM + ((<usize>whole) << 2))
  end = free + ROOM + ((<usize>whole) << 2)
}

// A slot: the key (16 bytes), then up to five ids of 24 bits: `count | first << 4 | second << 28`, and in the last 8 bytes
// the third and the fourth; the bits left over in both are the fifth. A piece that is longer or has more ids has the count
// 0, and behind it where its bytes are, where its ids are and how many.
const BYTES: usize = 20
const IDS: usize = 24
const COUNT: usize = 28

/** Address of the slot where the search for a key begins. */
// @inline
export function slotOf(low: u64, high: u64): usize {
  return slots + ((<usize>((low * keyLow + high * keyHigh) >> shift)) << 5)
}

/** Address of the slot that has the piece at `at`, in a search from `slot` on, or of the free one where it ends. */
export function search(slot: usize, low: u64, high: u64, at: usize): usize {
  while (true) {
    const found = load<u64>(slot + 8)
    if (found === 0) return slot
    if (found === high && load<u64>(slot) === low)
      if (!isLongKey(high) || isSame(load<u32>(slot, BYTES), at, <usize>~high)) return slot
    slot = slots + ((slot + 32 - slots) & lastSlot)
  }
}

// @inline
export function isFree(slot: usize): bool {
  return load<u64>(slot + 8) === 0
}

/** Writes a slot's ids to `out`; returns where they end. Touches 20 bytes beyond. */
// @inline
export function writeIds(slot: usize, out: usize): usize {
  const ids = load<u64>(slot + 16)
  const count = <usize>(ids & 7)
  if (count === 0) return copyIds(slot, out)
  store<u32>(out, <u32>(ids >> 4) & 0xffffff)
  if (count > 1) {
    const rest = load<u64>(slot + 24)
    store<u32>(out + 4, <u32>(ids >> 28) & 0xffffff)
    store<u32>(out + 8, <u32>rest & 0xffffff)
    store<u32>(out + 12, <u32>(rest >> 24) & 0xffffff)
    store<u32>(out + 16, <u32>(ids >> 52) | ((<u32>(rest >> 48)) << 12))
  }
  return out + (count << 2)
}

function copyIds(slot: usize, out: usize): usize {
  const last = out + ((<usize>load<u32>(slot, COUNT)) << 2)
  for (let ids = <usize>load<u32>(slot, IDS); out < last; ids += 16, out += 16)
    v128.store(out, v128.load(ids))
  return last
}

/** Behind a piece's last id there may be anything: it changes no bits but those of ids behind it. */
// @inline
function idAt(index: usize): u64 {
  return <u64>load<u32>(free + (index << 2))
}

/** Gives the piece at `at` a slot with its ids, which stand from `free` to `idsEnd`. It may have one: a list can hold it twice. */
function insert(low: u64, high: u64, at: usize, flags: u64, idsEnd: usize): usize {
  const slot = search(slotOf(low, high), low, high, at)
  const count = <u64>(idsEnd - free) >> 2
  store<u64>(slot, low)
  store<u64>(slot + 8, high)
  if (count <= MAX_IDS && !isLongKey(high)) {
    const fifth = idAt(4)
    store<u64>(slot + 16, flags | count | (idAt(0) << 4) | (idAt(1) << 28) | (fifth << 52))
    store<u64>(slot + 24, idAt(2) | (idAt(3) << 24) | ((fifth >> 12) << 48))
  } else {
    store<u32>(slot, <u32>flags, 16)
    store<u32>(slot, <u32>at, BYTES)
    store<u32>(slot, <u32>free, IDS)
    store<u32>(slot, <u32>count, COUNT)
    free = idsEnd
  }
  return slot
}

/** Forgets all passing pieces if there is no room for `count` more. Slots that are not the vocabulary's change. */
// @inline
export function makePassingRoom(count: u32): void {
  if (passing + count > maxPassing || free + count * MOST > end) forget()
}

/** Adds a piece of a text, for which there is room, with its ids from `free` to `idsEnd`; returns its slot. */
export function addPassing(low: u64, high: u64, at: usize, length: usize, idsEnd: usize): usize {
  passing++
  const slot = insert(low, high, at, PASSING, idsEnd)
  if (free === idsEnd) {
    memory.copy(free, at, length)
    store<u32>(slot, <u32>free, BYTES)
    free = (free + length + 3) & ~3
  }
  return slot
}

/** Adds a token, whose bytes stay at `at`. All tokens must be added before any other piece. */
export function addToken(id: u32, at: usize, length: usize): void {
  const idsEnd = putIds(id, free)
  if (length <= MAX_PIECE) insert(lowKey(at, length), highKey(at, length), at, 0, idsEnd)
  else insert(longKey(at, length), ~(<u64>length), at, 0, idsEnd)
  passingStart = free
  longest = max(longest, length)
}

/**
 * Empties every slot except the vocabulary's. Searches still find each token: all tokens were added first, so the slots
 * before a token's own hold other tokens.
 */
function forget(): void {
  for (let slot = slots; slot <= slots + lastSlot; slot += 32)
    if (load<u64>(slot + 16) & PASSING) memory.fill(slot, 0, 32)
  passing = 0
  free = passingStart
}
