// The piece table: ids of whole pieces of up to 15 bytes, so that most pieces cost one look.
//
// The table holds the vocabulary and a bounded number of other pieces of earlier texts; when these become too many, it
// forgets all of them. The hash has a random key: a client cannot construct a text whose pieces collide.
import { exponentOf, reserve } from '../own-memory'
import { putIds } from './vocabulary'

/** Longest piece that the table can hold: a slot's key is 16 bytes, the last of them the length. */
export const MAX_PIECE: usize = 15
export const MAX_IDS: u32 = 5

/** Set in the count of a piece that is not the vocabulary's. */
const PASSING: u64 = 8

/** Address of the slots, 32 bytes each, and the offset of the last one. */
export let slots: usize = 0
export let shift: u64 = 0
let lastSlot: usize = 0
let passing: u32 = 0
let maxPassing: u32 = 0
export let keyLow: u64 = 1
export let keyHigh: u64 = 1

/** For each length n, a mask of 16 bytes that keeps the first n. */
const KEEP: usize = memory.data(256, 16)

/** The fewest slots, four megabytes: texts have more pieces than a small vocabulary has tokens. */
const FEWEST: u32 = 1 << 17

/** Room for `tokens` and, up to five eighths of the slots, for other pieces. `low` and `high` are the hash's key. */
export function reservePieces(tokens: u32, low: u64, high: u64): void {
  const bits = exponentOf(max(2 * tokens, FEWEST))
  slots = reserve((<usize>32) << bits)
  shift = 64 - bits
  lastSlot = (((<usize>1) << bits) - 1) << 5
  maxPassing = (((<u32>5) << bits) >> 3) - tokens
  keyLow = low | 1
  keyHigh = high | 1
  for (let length: usize = 0; length < 16; length++) memory.fill(KEEP + length * 16, 0xff, length)
}

// A slot: the key (16 bytes), then up to five ids of 24 bits: `count | first << 4 | second << 28`, and in the last 8 bytes
// the third and the fourth; the bits left over in both are the fifth.

/** The first half of a slot's key: a piece's first eight bytes, zeros where it has fewer. */
// @inline
export function lowKey(at: usize, length: usize): u64 {
  return load<u64>(at) & load<u64>(KEEP + (length << 4))
}

/** The key's second half: the piece's other bytes, and its length in the last byte, so that no piece's key is 0. */
// @inline
export function highKey(at: usize, length: usize): u64 {
  return (load<u64>(at + 8) & load<u64>(KEEP + (length << 4), 8)) | ((<u64>length) << 56)
}

/** Address of the slot where the search for a key begins. */
// @inline
export function slotOf(low: u64, high: u64): usize {
  return slots + ((<usize>((low * keyLow + high * keyHigh) >> shift)) << 5)
}

/** Address of the slot that has the key, in a search from `slot` on; 0: none has it. */
export function findSlot(slot: usize, low: u64, high: u64): usize {
  while (true) {
    const found = load<u64>(slot + 8)
    if (found === high && load<u64>(slot) === low) return slot
    if (found === 0) return 0
    slot = after(slot)
  }
}

// @inline
function after(slot: usize): usize {
  return slots + ((slot + 32 - slots) & lastSlot)
}

/** Writes a slot's ids to `out`; returns where they end. Touches 20 bytes. */
// @inline
export function writeIds(slot: usize, out: usize): usize {
  const ids = load<u64>(slot + 16)
  const count = <usize>(ids & 7)
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

/** Behind a piece's last id there may be anything: it changes no bits but those of ids behind it. */
// @inline
function idAt(ids: usize, index: usize): u64 {
  return <u64>load<u32>(ids + (index << 2))
}

function insert(low: u64, high: u64, flags: u64, ids: usize): usize {
  let slot = slotOf(low, high)
  // The piece is already in the table if the list of missed pieces held it twice.
  while (load<u64>(slot + 8) !== 0 && (load<u64>(slot + 8) !== high || load<u64>(slot) !== low))
    slot = after(slot)
  store<u64>(slot, low)
  store<u64>(slot + 8, high)
  const fifth = idAt(ids, 4)
  store<u64>(slot + 16, flags | (idAt(ids, 0) << 4) | (idAt(ids, 1) << 28) | (fifth << 52))
  store<u64>(slot + 24, idAt(ids, 2) | (idAt(ids, 3) << 24) | ((fifth >> 12) << 48))
  return slot
}

/** Forgets all passing pieces if there is no room for `count` more. Slots that are not the vocabulary's change. */
// @inline
export function makePassingRoom(count: u32): void {
  if (passing + count > maxPassing) forget()
}

/** Adds a piece that is no token, for which there is room, with its ids at `ids`, at most `MAX_IDS`; returns its slot. */
// @inline
export function addPassing(low: u64, high: u64, count: u32, ids: usize): usize {
  passing++
  return insert(low, high, count | PASSING, ids)
}

/** Adds a token of the vocabulary. All tokens must be added before any other piece. */
export function addToken(id: u32, at: usize, length: usize, scratch: usize): void {
  const count = (putIds(id, scratch) - scratch) >> 2
  insert(lowKey(at, length), highKey(at, length), count, scratch)
}

/**
 * Empties every slot except the vocabulary's. Searches still find each token: all tokens were added first, so the slots
 * before a token's own hold other tokens.
 */
function forget(): void {
  for (let slot = slots, end = slots + lastSlot + 32; slot < end; slot += 32)
    if (load<u64>(slot + 16) & PASSING) memory.fill(slot, 0, 32)
  passing = 0
}
