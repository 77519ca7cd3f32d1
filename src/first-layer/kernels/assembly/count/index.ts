// Counts the pieces of texts: a table of the distinct ones, each with how often it came. A text is scanned as by the
// tokenizer (../tokenize/scan.ts), and no pieces are merged.
import { reserve } from '../own-memory'
import {
  highKey,
  isLongKey,
  isSame,
  keyHigh,
  keyLow,
  longKey,
  lowKey,
  MAX_PIECE,
  setKeys,
} from '../tokenize/piece-key'
import {
  forgetText,
  GAP,
  lengthenText,
  look,
  marks,
  moveText,
  passPiece,
  pieceRun,
  pieceStart,
  scan,
  setTransitions,
  text,
  textEnd,
  waits,
} from '../tokenize/scan'

export { reserve } from '../own-memory'
export { reserveClasses } from '../tokenize/scan'

// A slot: the piece's key (16 bytes) and its count (float64). The first half of a long piece's key has the upper half of a
// hash, and the address of its bytes.
const SLOT: usize = 24
const COUNT: usize = 16
const HASH: u64 = 0xffffffff00000000
/** Bytes that long pieces are stored in at a time. */
const STORE: usize = 1 << 20
/** Bytes behind the text that may be read, but whose values are never used. */
const SLACK: usize = 64

export let slots: usize = 0
/** Slots are 2 to the power of this. */
export let bits: u32 = 0
export let used: u32 = 0
let slotsEnd: usize = 0
let free: usize = 0
let freeEnd: usize = 0
let leavesGaps: bool = false
/** Bytes of the text for which there is room. */
let capacity: i32 = 0
/** The keys of the pieces of one scan. */
const keys: usize = memory.data(256 * 16, 64)
const TOUCHED: usize = memory.data(8, 8)

/** `pattern`: where the pattern's transitions are; `low` and `high`: the hash's key; `gaps`: what it does not match is left out. */
export function begin(pattern: usize, low: u64, high: u64, gaps: bool): void {
  setTransitions(pattern)
  setKeys(low, high)
  leavesGaps = gaps
  reserveSlots(16)
}

/** Makes room for `bytes` behind what is left of the text; returns the address where they go. */
export function makeRoom(bytes: i32): usize {
  if (textEnd + bytes > capacity) {
    const needed = 2 * (textEnd - pieceStart + bytes)
    const isLarger = needed > capacity
    if (isLarger) capacity = needed
    moveText(pieceStart, isLarger ? reserve(<usize>capacity + SLACK) : text)
  }
  return text + textEnd
}

/** Counts the pieces of the text, of which `bytes` more have been written; `isEnd`: it ends with them. */
export function countText(bytes: i32, isEnd: bool): void {
  lengthenText(bytes)
  do {
    const isGap = pieceRun >= GAP
    look(textEnd, isEnd)
    const end = scan()
    if (!(isGap && leavesGaps)) countMarked(end)
    if (end > marks) passPiece(load<i32>(end - 4))
  } while (!waits)
  if (isEnd) forgetText()
}

/** Adds a piece that has come `count` times, whose bytes the host has written. */
export function addPiece(at: usize, length: usize, count: f64): void {
  add(at, length, firstKey(at, length), secondKey(at, length), count)
}

/** Counts the pieces that end at the places from `marks` to `end`. Reads their slots ahead, many cache misses at a time. */
function countMarked(end: usize): void {
  let at = text + pieceStart
  let key = keys
  let touched: u64 = 0
  for (let mark = marks; mark < end; mark += 4, key += 16) {
    const next = text + load<i32>(mark)
    store<u64>(key, firstKey(at, next - at))
    store<u64>(key, secondKey(at, next - at), 8)
    touched += load<u64>(slotOf(load<u64>(key), load<u64>(key, 8)))
    at = next
  }
  store<u64>(TOUCHED, touched) // the compiler drops loads whose value is not stored
  at = text + pieceStart
  key = keys
  for (let mark = marks; mark < end; mark += 4, key += 16) {
    const next = text + load<i32>(mark)
    add(at, next - at, load<u64>(key), load<u64>(key, 8), 1)
    at = next
  }
}

function add(at: usize, length: usize, first: u64, second: u64, count: f64): void {
  let slot = slotOf(first, second)
  for (let there = load<u64>(slot, 8); there !== 0; there = load<u64>(slot, 8)) {
    const key = load<u64>(slot)
    const isFound =
      there === second &&
      (isLongKey(second)
        ? ((key ^ first) & HASH) === 0 && isSame(<usize>(key & ~HASH), at, length)
        : key === first)
    if (isFound) {
      store<f64>(slot, load<f64>(slot, COUNT) + count, COUNT)
      return
    }
    slot = slotAfter(slot)
  }
  store<u64>(slot, isLongKey(second) ? (first & HASH) | <u64>keep(at, length) : first)
  store<u64>(slot, second, 8)
  store<f64>(slot, count, COUNT)
  if (++used > ((<u32>3) << bits) >> 2) grow()
}

/** Twice as many slots. */
function grow(): void {
  const end = slotsEnd
  let from = slots
  for (reserveSlots(bits + 1); from < end; from += SLOT) {
    if (load<u64>(from, 8) === 0) continue
    let slot = slotOf(load<u64>(from), load<u64>(from, 8))
    while (load<u64>(slot, 8) !== 0) slot = slotAfter(slot)
    memory.copy(slot, from, SLOT)
  }
}

function reserveSlots(exponent: u32): void {
  bits = exponent
  slots = reserve(SLOT << bits)
  slotsEnd = slots + (SLOT << bits)
}

/** A copy of a long piece. */
function keep(at: usize, length: usize): usize {
  if (free + length + SLACK > freeEnd) {
    free = reserve(max(STORE, length + SLACK))
    freeEnd = free + max(STORE, length + SLACK)
  }
  const to = free
  memory.copy(to, at, length)
  free += length
  return to
}

// @inline
function firstKey(at: usize, length: usize): u64 {
  return length <= MAX_PIECE ? lowKey(at, length) : longKey(at, length)
}

// @inline
function secondKey(at: usize, length: usize): u64 {
  return length <= MAX_PIECE ? highKey(at, length) : ~(<u64>length)
}

/** The slot where the search for a key begins. */
// @inline
function slotOf(first: u64, second: u64): usize {
  const known = isLongKey(second) ? first & HASH : first
  return slots + <usize>((known * keyLow + second * keyHigh) >> (64 - <u64>bits)) * SLOT
}

// @inline
function slotAfter(slot: usize): usize {
  return slot + SLOT === slotsEnd ? slots : slot + SLOT
}
