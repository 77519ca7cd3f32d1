// The piece table: ids of whole pieces of up to 15 bytes, so that most pieces cost one look.
//
// It holds the vocabulary for good and beside it a bounded number of other pieces of the texts seen; when these are
// too many they all go, and the table begins anew. The hash has a random key: a text cannot be made to collide.
import { exponentOf, reserve } from '../own-memory'
import { isLooseIndent, writeIndent } from './indents'
import { encodeLong } from './long'
import { MANY, mergeAll, mergedCount, takeMerged, takePiece, WIDE } from './merge'

/** Longest piece that the table can hold: a slot's key is 16 bytes, the last of them the length. */
export const MAX_PIECE: usize = 15
const MAX_IDS: u32 = 6

/** Set in the count of a piece that is not the vocabulary's. */
const PASSING: u64 = 8

let slots: usize = 0
let shift: u64 = 0
let mask: u32 = 0
let passing: u32 = 0
let maxPassing: u32 = 0
let keyLow: u64 = 1
let keyHigh: u64 = 1

/** For each length, the 16 bytes of mask that keep as many. */
const KEEP: usize = memory.data(256, 16)

/** Room for `tokens` and, up to five eighths of the slots, for other pieces. `low` and `high` are the hash's key. */
export function reservePieces(tokens: u32, low: u64, high: u64): void {
  const bits = exponentOf(2 * tokens)
  slots = reserve((<usize>32) << bits)
  shift = 64 - bits
  mask = (1 << bits) - 1
  maxPassing = (((<u32>5) << bits) >> 3) - tokens
  keyLow = low | 1
  keyHigh = high | 1
  for (let length: usize = 0; length < 16; length++) memory.fill(KEEP + length * 16, 0xff, length)
}

// A slot: the piece (16 bytes), then its ids, 20 bits each: `count | first << 4 | second << 24 | third << 44`, then three more.

/** The first half of a slot's key: a piece's first eight bytes, zeros where it has fewer. */
// @inline
function lowKey(at: usize, length: usize): u64 {
  return load<u64>(at) & load<u64>(KEEP + (length << 4))
}

/** The other half: its other bytes, and its length in the last one, so that no piece's key is 0. */
// @inline
function highKey(at: usize, length: usize): u64 {
  return (load<u64>(at + 8) & load<u64>(KEEP + (length << 4), 8)) | ((<u64>length) << 56)
}

// @inline
function slotOf(low: u64, high: u64): u32 {
  return <u32>((low * keyLow + high * keyHigh) >> shift)
}

// The table is far larger than the caches, and what looks a piece up goes this or that way by what it finds: one miss
// would wait for the other. So pieces are put on a list first; then a loop that does nothing else touches their slots,
// many misses at a time; then the list is worked off.

const LIST: u32 = 256
const ENTRY: usize = 12
const list: usize = memory.data(256 * 12, 16)
let listed: usize = list
/** Takes the sum of what is read ahead: the compiler would drop loads whose value nobody stores. */
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

/** Reads the slots of the listed pieces. A long piece's entry has an old slot, which does no harm. */
function touchListed(): void {
  let a: u64 = 0
  let b: u64 = 0
  for (let entry = list; entry + 2 * ENTRY <= listed; entry += 2 * ENTRY) {
    a += load<u64>(slots + ((<usize>load<u32>(entry, 8)) << 5))
    b += load<u64>(slots + ((<usize>load<u32>(entry, 8 + ENTRY)) << 5))
  }
  store<u64>(TOUCHED, a + b)
}

// A piece that the table lacks: what was looked for (0 for one too long), and where its ids belong among the others'.
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
    if (found === high && load<u64>(slot) === low) {
      const ids = load<u64>(slot + 16)
      const count = <usize>(ids & 7)
      store<u32>(out, <u32>(ids >> 4) & 0xfffff)
      if (count > 1) {
        const rest = load<u64>(slot + 24)
        store<u32>(out + 4, <u32>(ids >> 24) & 0xfffff)
        store<u32>(out + 8, <u32>(ids >> 44))
        store<u32>(out + 12, <u32>rest & 0xfffff)
        store<u32>(out + 16, <u32>(rest >> 20) & 0xfffff)
        store<u32>(out + 20, <u32>(rest >> 40))
      }
      return out + (count << 2)
    }
    if (found === 0) return miss(at, length, out, low, high)
    i = (i + 1) & mask
  }
}

function encodeUntabled(at: usize, length: usize, out: usize): usize {
  return isWide(at, length) ? encodeLong(at, at + length, out) : miss(at, length, out, 0, 0)
}

/**
 * Whether a piece is encoded by tries of tokens, which can be many: a long one, or one character again and again as in
 * rules and indents, whose tokens are long, and which would be merged in many steps.
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

/** Merges the missed pieces, and makes room for their ids among those before `end`; returns where all end. */
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
    if (high !== 0 && count <= MAX_IDS) {
      if (passing === maxPassing) forget()
      passing++
      insert(load<u64>(entry), high, count | PASSING, place + more)
    }
  }
  misses = 0
  return newEnd
}

function insert(low: u64, high: u64, flags: u64, ids: usize): void {
  let i = slotOf(low, high)
  let slot = slots + ((<usize>i) << 5)
  // It is there already if it was missed twice.
  while (load<u64>(slot + 8) !== 0 && (load<u64>(slot + 8) !== high || load<u64>(slot) !== low)) {
    i = (i + 1) & mask
    slot = slots + ((<usize>i) << 5)
  }
  const count = <u32>(flags & 7)
  let first = flags
  let rest: u64 = 0
  for (let k: u32 = 0; k < count; k++) {
    const id = <u64>load<u32>(ids + (k << 2))
    if (k < 3) first |= id << (4 + 20 * k)
    else rest |= id << (20 * (k - 3))
  }
  store<u64>(slot, low)
  store<u64>(slot + 8, high)
  store<u64>(slot + 16, first)
  store<u64>(slot + 24, rest)
}

/** Adds a token of the vocabulary; these come before any other piece. */
export function addToken(id: u32, at: usize, length: usize, scratch: usize): void {
  store<u32>(scratch, id)
  insert(lowKey(at, length), highKey(at, length), 1, scratch)
}

/**
 * Empties every slot but the vocabulary's. A token's search passes tokens only, for they were there first; so it
 * still finds it.
 */
function forget(): void {
  for (let slot = slots, end = slots + ((<usize>mask + 1) << 5); slot < end; slot += 32)
    if (load<u64>(slot + 16) & PASSING) memory.fill(slot, 0, 32)
  passing = 0
}
