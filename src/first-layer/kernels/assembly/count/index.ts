// Counts the pieces of texts: a table of the distinct ones, each with how often it came. A text is scanned as by the
// tokenizer (../tokenize/scan.ts), and no pieces are merged.
import { reserve } from '../own-memory'
import { look, marks, scan, setTransitions, waits } from '../tokenize/scan'
import {
  forgetDocument,
  GAP,
  lengthenText,
  passPiece,
  pieceRun,
  pieceStart,
  shift,
  textEnd,
} from '../tokenize/state'
import { setText, text } from '../tokenize/window'

export { reserve } from '../own-memory'
export { reserveClasses } from '../tokenize/characters'

// A slot: the piece's key (16 bytes) and its count (float64). The key of up to 15 bytes is the piece itself, zeros behind
// it, its length in the last byte. A longer piece has the upper half of a hash, the address of its bytes, and `~length`.
const SLOT: usize = 24
const COUNT: usize = 16
const SHORT: usize = 15
/** Bytes that longer pieces are stored in at a time. */
const STORE: usize = 1 << 20
/** Pieces that the host lists in one call. */
const LISTED: usize = 8192

export let slots: usize = 0
/** Slots are 2 to the power of this. */
export let bits: u32 = 0
export let used: u32 = 0
let keyLow: u64 = 1
let keyHigh: u64 = 1
let free: usize = 0
let freeEnd: usize = 0
let leavesGaps: bool = false
/** Bytes of the text for which there is room. */
let capacity: i32 = 0
/** Bytes behind the text that may be read, but whose values are never used. */
const SLACK: usize = 64
/** For each length n, a mask of 16 bytes that keeps the first n. */
const KEEP: usize = memory.data(256, 16)
/** The pieces of one scan: their keys and the slots where their searches begin. */
const list: usize = memory.data(256 * 24, 64)
const TOUCHED: usize = memory.data(8, 8)

/** Where the host lists pieces: where each ends in the text (uint32), and how often it came (float64). */
export let ends: usize = 0
export let counts: usize = 0

/**
 * Prepares counting. `pattern`: where the pattern's transitions are; `low` and `high`: the hash's key; `gaps`: what lies
 * between the pattern's matches is left out.
 */
export function begin(pattern: usize, low: u64, high: u64, gaps: bool): void {
  setTransitions(pattern)
  keyLow = low | 1
  keyHigh = high | 1
  leavesGaps = gaps
  for (let length: usize = 0; length < 16; length++) memory.fill(KEEP + length * 16, 0xff, length)
  bits = 16
  slots = reserve(SLOT << bits)
  ends = reserve(LISTED * 4)
  counts = reserve(LISTED * 8)
}

/** Makes room for `bytes` behind what is left of the text; returns the address where they go. */
export function makeRoom(bytes: i32): usize {
  const left = textEnd - pieceStart
  if (textEnd + bytes > capacity) {
    const old = text + pieceStart
    if (left + bytes > capacity / 2) {
      capacity = 2 * (left + bytes)
      setText(reserve(<usize>capacity + SLACK))
    }
    memory.copy(text, old, left)
    shift(pieceStart)
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
  if (isEnd) forgetDocument()
}

/** Adds the `n` pieces that the host has listed, which lie in the text one behind the other. */
export function addListed(n: i32): void {
  let start: usize = 0
  for (let i: usize = 0; i < <usize>n; i++) {
    const end = <usize>load<u32>(ends + (i << 2))
    const at = text + start
    const length = end - start
    add(at, length, lowOf(at, length), highOf(at, length), load<f64>(counts + (i << 3)))
    start = end
  }
}

/** Counts the pieces that end at the places from `marks` to `end`. Reads their slots ahead, many cache misses at a time. */
function countMarked(end: usize): void {
  let start = pieceStart
  let entry = list
  let touched: u64 = 0
  for (let mark = marks; mark < end; mark += 4) {
    const place = load<i32>(mark)
    const at = text + start
    const length = <usize>(place - start)
    const low = lowOf(at, length)
    const high = highOf(at, length)
    store<u64>(entry, low)
    store<u64>(entry, high, 8)
    touched += load<u64>(slotOf(low, high))
    entry += 24
    start = place
  }
  store<u64>(TOUCHED, touched) // the compiler drops loads whose value is not stored
  start = pieceStart
  entry = list
  for (let mark = marks; mark < end; mark += 4) {
    const place = load<i32>(mark)
    add(text + start, <usize>(place - start), load<u64>(entry), load<u64>(entry, 8), 1)
    entry += 24
    start = place
  }
}

// @inline
function add(at: usize, length: usize, low: u64, high: u64, count: f64): void {
  let slot = slotOf(low, high)
  const mask = ((<usize>1) << bits) * SLOT
  while (true) {
    const there = load<u64>(slot, 8)
    if (there === 0) break
    if (there === high && isSame(slot, at, length, low)) {
      store<f64>(slot, load<f64>(slot, COUNT) + count, COUNT)
      return
    }
    slot += SLOT
    if (slot === slots + mask) slot = slots
  }
  store<u64>(slot, length > SHORT ? (low & 0xffffffff00000000) | <u64>keep(at, length) : low)
  store<u64>(slot, high, 8)
  store<f64>(slot, count, COUNT)
  if (++used > ((<u32>3) << bits) >> 2) grow()
}

// @inline
function isSame(slot: usize, at: usize, length: usize, low: u64): bool {
  const there = load<u64>(slot)
  if (length <= SHORT) return there === low
  return there >> 32 === low >> 32 && memory.compare(<usize>(there & 0xffffffff), at, length) === 0
}

/** Twice as many slots. */
function grow(): void {
  const old = slots
  const oldEnd = slots + (SLOT << bits)
  bits++
  slots = reserve(SLOT << bits)
  const end = slots + (SLOT << bits)
  for (let from = old; from < oldEnd; from += SLOT) {
    const high = load<u64>(from, 8)
    if (high === 0) continue
    let slot = slotOf(load<u64>(from), high)
    while (load<u64>(slot, 8) !== 0) {
      slot += SLOT
      if (slot === end) slot = slots
    }
    memory.copy(slot, from, SLOT)
  }
}

/** A copy of a longer piece. */
function keep(at: usize, length: usize): usize {
  if (free + length > freeEnd) {
    free = reserve(max(STORE, length))
    freeEnd = free + max(STORE, length)
  }
  const to = free
  memory.copy(to, at, length)
  free += length
  return to
}

// @inline
function lowOf(at: usize, length: usize): u64 {
  return length <= SHORT ? load<u64>(at) & load<u64>(KEEP + (length << 4)) : hashOf(at, length)
}

// @inline
function highOf(at: usize, length: usize): u64 {
  return length <= SHORT
    ? (load<u64>(at + 8) & load<u64>(KEEP + (length << 4), 8)) | ((<u64>length) << 56)
    : ~(<u64>length)
}

function hashOf(at: usize, length: usize): u64 {
  let hash: u64 = 0
  for (let i: usize = 0; i < length; i += 8) {
    hash = (hash ^ (load<u64>(at + i) & load<u64>(KEEP + (min(length - i, 8) << 4)))) * keyLow
    hash = (hash ^ (hash >> 32)) * keyHigh
  }
  return hash
}

/** The slot where the search for a key begins. Of a longer piece only the hash's upper half is kept. */
// @inline
function slotOf(low: u64, high: u64): usize {
  const kept = high >> 56 === 0xff ? low & 0xffffffff00000000 : low
  return slots + <usize>((kept * keyLow + high * keyHigh) >> (64 - <u64>bits)) * SLOT
}
