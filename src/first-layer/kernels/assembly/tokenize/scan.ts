// Finds where pieces end, by the table of a pattern: a state for each way in which the piece may go on, and for each state
// and class of the next character an entry with the state behind it. The host makes the table (pattern-table.ts).
//
// The window holds the text whose ids are not known yet. All places are offsets from its first byte, so that the text can
// be moved; text that has left the window has negative places. Other files read these variables and call the functions
// below (the type checker allows no assignment to an imported variable).
//
//     text  | has its ids | the piece so far | not scanned yet | free
//           0         pieceStart          scanEnd           textEnd
//
// Between two calls from the host pieceStart ≤ lastMatch ≤ scanEnd ≤ textEnd, and pieceStart = scanEnd if pieceRun is START.
import { reserve } from '../own-memory'

export let text: usize = 0
export let textEnd: i32 = 0
/** The state of the scan of the piece. START: nothing of it has been scanned. */
export let pieceRun: u32 = 0
const START: u32 = 0
/** With the region of the characters: the pattern matches nowhere from the piece's start to `scanEnd`. */
export const GAP: u32 = 0x10000000
export let pieceStart: i32 = 0
export let scanEnd: i32 = 0
/** The last place where the piece may end, whatever text follows; pieceStart: there is none yet. */
export let lastMatch: i32 = 0

/** Appends `bytes` to the text. */
// @inline
export function lengthenText(bytes: i32): void {
  textEnd += bytes
}

export function beginPiece(at: i32): void {
  pieceRun = START
  pieceStart = scanEnd = lastMatch = at
}

/** Notes that the piece before `at` is done and that the text behind it has been scanned. */
// @inline
export function passPiece(at: i32): void {
  pieceStart = at
}

/** The place that the piece reaches at least, whatever text follows. */
export function certainEnd(): i32 {
  return pieceRun >= GAP ? scanEnd : lastMatch
}

/** Moves the text from the place `from` on to the address `to`, where the window begins now. */
export function moveText(from: i32, to: usize): void {
  memory.copy(to, text + from, textEnd - from)
  text = to
  pieceStart -= from
  scanEnd -= from
  textEnd -= from
  lastMatch -= from
}

export function forgetText(): void {
  textEnd = 0
  beginPiece(0)
}

// What an entry says of the place before the character; its other bits are the next state.
/** A piece may end here. */
const MATCH: u32 = 1
/** A piece ends here, and the character begins the next one. */
const END: u32 = 2
/** Nothing longer matches: the piece ends at the last match. Without one it is a gap: nothing matches where it begins. */
const STOP: u32 = 4
const STATE: u32 = ~(<u32>7)

/** Bytes scanned once more in one call, at most: patterns can give back much of what they have tried. */
const AGAIN: i32 = 65536
/** The most pieces of a scan. */
export const MARKS: u32 = 256
/** Where the pieces that the last scan has found end (int32). */
export const marks: usize = memory.data(256 * 4, 16)

/** How far a scan may look, and whether the text ends there. */
export let horizon: i32 = 0
let closed: bool = false
let again: i32 = 0
/** Whether the last scan ended because more text must come first. */
export let waits: bool = false
let transitions: usize = 0

export function setTransitions(at: usize): void {
  transitions = at
}

/** Call it before the scans of a call. */
export function look(end: i32, isEnd: bool): void {
  horizon = end
  closed = isEnd
  again = 0
}

/** Whether this call has scanned as much as it may. */
// @inline
export function isScanTired(): bool {
  return again > AGAIN
}

/** Where the piece at work begins, if the ends up to `out` have been found. */
// @inline
function lastEnd(out: usize): usize {
  return text + (out > marks ? load<i32>(out - 4) : pieceStart)
}

/** Scans on, to the horizon at most; returns the address behind the last of `marks`. */
export function scan(): usize {
  waits = false
  if (pieceRun >= GAP) return scanGap()
  // Locals stay in registers.
  const base = text
  const limit = base + horizon
  const table = transitions
  const ascii = pages
  const full = marks + ((<usize>MARKS) << 2)
  let out = marks
  let at = base + scanEnd
  let match = base + lastMatch
  let state = pieceRun
  while (out < full) {
    let entry: u32 = 0
    if (at < limit) {
      let kind = <u32>load<u8>(at)
      let size: usize = 1
      if (kind < 0x80) {
        kind = load<u8>(ascii + kind)
      } else {
        const character = characterAt(at, limit)
        waits = character === 0
        if (waits) break
        kind = classOf(character)
        size = sizeOf(character)
      }
      entry = load<u32>(table + state + (kind << 2))
      if (!(entry & STOP)) {
        store<u32>(out, <u32>(at - base))
        out += (entry & END) << 1
        match = select(at, match, (entry & MATCH) !== 0)
        state = entry & STATE
        at += size
        continue
      }
    } else {
      waits = !closed || at === lastEnd(out)
      if (waits) break
      entry = load<u32>(table + state + (endClass << 2))
    }
    if (entry & MATCH) match = at
    const start = lastEnd(out)
    state = START
    if (match === start) {
      const first = characterAt(start, limit)
      state = GAP | regionOf(classOf(first))
      at = start + sizeOf(first)
      break
    }
    again += <i32>(at - match)
    at = match
    store<u32>(out, <u32>(at - base))
    out += 4
    if (again > AGAIN) break
  }
  pieceRun = state
  scanEnd = <i32>(at - base)
  lastMatch = <i32>(match - base)
  return out
}

/** Ends the gap where another part of the text begins, or the pattern matches: nothing does before `scanEnd`. */
function scanGap(): usize {
  const limit = text + horizon
  let at = text + scanEnd
  while (true) {
    const first = characterAt(at, limit)
    if (first === 0 ? closed : regionOf(classOf(first)) !== (pieceRun & ~GAP)) break
    const end = first === 0 ? 0 : matchAt(at, limit)
    if (end === at) break
    waits = end === 0
    if (waits || again > AGAIN) {
      scanEnd = <i32>(at - text)
      lastMatch = pieceStart
      return marks
    }
    again += <i32>(end - at)
    at += sizeOf(first)
  }
  store<u32>(marks, <u32>(at - text))
  pieceRun = START
  scanEnd = lastMatch = <i32>(at - text)
  return marks + 4
}

/** `at` if the pattern matches there, 0 if that is not known before more text comes, else the end of what had to be read. */
function matchAt(at: usize, limit: usize): usize {
  let state = START
  let place = at
  while (true) {
    const character = characterAt(place, limit)
    if (character === 0 && !closed) return 0
    const entry = load<u32>(transitions + state + ((character === 0 ? endClass : classOf(character)) << 2))
    if (entry & MATCH) return at
    if (entry & STOP) return place + 1
    state = entry & STATE
    place += sizeOf(character)
  }
}

// The classes of characters that a pattern tells apart, as a two-level table, which the host writes before the first text.
let index: usize = 0
let pages: usize = 0
let regions: usize = 0
/** In place of a character's class at the end of a text. */
let endClass: u32 = 0

const INDEX_BYTES: usize = 0x1100 * 2

/** Reserves the tables; the host writes to the returned address 0x1100 page numbers (uint16), pages, and the regions. */
export function reserveClasses(bytes: u32, classes: u32): usize {
  index = reserve(bytes)
  pages = index + INDEX_BYTES
  regions = index + bytes - classes
  endClass = classes
  return index
}

/** The parts of the text to which characters of a class belong, as bits: no piece reaches from one into another. */
// @inline
function regionOf(kind: u32): u32 {
  return load<u8>(regions + kind)
}

/** A character: its class in the low byte, its length in bytes in the next; 0 if the text ends within it. */
// @inline
function characterAt(at: usize, end: usize): u32 {
  if (at >= end) return 0
  const lead = <u32>load<u8>(at)
  // Page 0 stands first, so no lookup of a page number is needed.
  return lead < 0x80 ? <u32>load<u8>(pages + lead) | 0x100 : longCharacterAt(at, end, lead)
}

function longCharacterAt(at: usize, end: usize, lead: u32): u32 {
  const second = <u32>load<u8>(at + 1) & 0x3f
  let codePoint: u32
  let size: u32
  if (lead < 0xe0) {
    size = 2
    codePoint = ((lead & 0x1f) << 6) | second
  } else {
    const third = (second << 6) | (<u32>load<u8>(at + 2) & 0x3f)
    if (lead < 0xf0) {
      size = 3
      codePoint = ((lead & 0x0f) << 12) | third
    } else {
      size = 4
      codePoint = ((lead & 0x07) << 18) | (third << 6) | (<u32>load<u8>(at + 3) & 0x3f)
    }
  }
  if (at + size > end) return 0
  const page = <u32>load<u16>(index + ((codePoint >> 8) << 1))
  return <u32>load<u8>(pages + ((page << 8) | (codePoint & 0xff))) | (size << 8)
}

// @inline
function classOf(character: u32): u32 {
  return character & 0xff
}

// @inline
function sizeOf(character: u32): usize {
  return character >> 8
}

/** Counts the characters that begin in `bytes` bytes of UTF-8 from `at` on: all bytes but continuations begin one. */
export function countCharacters(at: usize, bytes: i32): i32 {
  const end = at + bytes
  let continuations: i32 = 0
  for (; at + 16 <= end; at += 16) {
    continuations += popcnt<i32>(i8x16.bitmask(i8x16.lt_s(v128.load(at), i8x16.splat(-64))))
  }
  for (; at < end; at++) continuations += i32(load<i8>(at) < -64)
  return bytes - continuations
}
