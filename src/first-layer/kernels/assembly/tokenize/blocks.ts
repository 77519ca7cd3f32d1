// Finds the pieces of text, 64 bytes at a time: makes one mask of 64 bits per kind of character, and from these one mask of
// the places where pieces start. A block starts where a piece does, so nothing is carried from one block to the next.
// Vectors tell the kinds of ASCII characters, the class table those of the others: all bytes of a character have its kind.
// scan.ts finds the end of a block's last piece, and all pieces with characters that `sortOthers` leaves to it.

import { characterAt, classOf, isLetter, LOWER, NUMBER, SPACE, sizeOf, UPPER } from './characters'
import { CL100K, GPT2, LLAMA3, O200K, QWEN2 } from './scan'

const QUOTE: i8 = 0x27
const BLANK: i8 = 0x20
const SLASH: u8 = 0x2f
/** U+017F, which equals s if case is ignored, as the bytes are loaded: a contraction may end with it. */
const LONG_S: u16 = 0xbfc5

let letters: u64 = 0
let uppers: u64 = 0
let numbers: u64 = 0
let spaces: u64 = 0
let newlines: u64 = 0
let blanks: u64 = 0
let quotes: u64 = 0

// @inline
function mask(a: v128, b: v128, c: v128, d: v128): u64 {
  const low = <u32>i8x16.bitmask(a) | ((<u32>i8x16.bitmask(b)) << 16)
  const high = <u32>i8x16.bitmask(c) | ((<u32>i8x16.bitmask(d)) << 16)
  return <u64>low | ((<u64>high) << 32)
}

// @inline
function within(bytes: v128, first: i8, count: i8): v128 {
  return i8x16.lt_u(i8x16.sub(bytes, i8x16.splat(first)), i8x16.splat(count))
}

// @inline
function white(bytes: v128): v128 {
  return v128.or(within(bytes, 0x09, 5), i8x16.eq(bytes, i8x16.splat(BLANK)))
}

// @inline
function where(a: v128, b: v128, c: v128, d: v128, byte: i8): u64 {
  const s = i8x16.splat(byte)
  return mask(i8x16.eq(a, s), i8x16.eq(b, s), i8x16.eq(c, s), i8x16.eq(d, s))
}

/** Makes the masks of the 64 bytes at `at`; returns how many of the first `length` bytes they hold for. */
// @inline
function sort(at: usize, length: u32, cases: bool, lines: bool): u32 {
  const a = v128.load(at)
  const b = v128.load(at, 16)
  const c = v128.load(at, 32)
  const d = v128.load(at, 48)
  const fold = i8x16.splat(0x20)
  letters = mask(
    within(v128.or(a, fold), 0x61, 26),
    within(v128.or(b, fold), 0x61, 26),
    within(v128.or(c, fold), 0x61, 26),
    within(v128.or(d, fold), 0x61, 26),
  )
  if (cases) uppers = mask(within(a, 0x41, 26), within(b, 0x41, 26), within(c, 0x41, 26), within(d, 0x41, 26))
  numbers = mask(within(a, 0x30, 10), within(b, 0x30, 10), within(c, 0x30, 10), within(d, 0x30, 10))
  spaces = mask(white(a), white(b), white(c), white(d))
  blanks = where(a, b, c, d, BLANK)
  quotes = where(a, b, c, d, QUOTE)
  if (lines) newlines = where(a, b, c, d, 0x0a) | where(a, b, c, d, 0x0d)
  const foreign = mask(a, b, c, d) & lowest(length)
  return foreign ? sortOthers(at, foreign, length, cases, lines) : length
}

/**
 * Puts the characters that are not ASCII into the masks; returns the place of the first that scan.ts has to look at, or
 * `length`. These are whitespace, and characters that the block's end cuts. For modern patterns also symbols and numbers:
 * one symbol leads a word, three numbers are a group, however many bytes they have; and U+017F, which may end a
 * contraction. For words also letters without case.
 */
function sortOthers(at: usize, foreign: u64, length: u32, cases: bool, lines: bool): u32 {
  while (foreign) {
    const i = <u32>ctz(foreign)
    const character = characterAt(at + i, at + length)
    if (character === 0) return i
    const kind = classOf(character)
    if (lines && load<u16>(at + i) === LONG_S) return i
    if (kind >= SPACE || (cases ? kind !== UPPER && kind !== LOWER : lines && !isLetter(kind))) return i
    const size = <u32>sizeOf(character)
    const bytes = lowest(size) << i
    if (isLetter(kind)) letters |= bytes
    else if (kind === NUMBER) numbers |= bytes
    if (cases && kind === UPPER) uppers |= bytes
    foreign &= ~bytes
  }
  return length
}

// @inline
function lowest(count: u32): u64 {
  return count >= 64 ? ~(<u64>0) : ((<u64>1) << count) - 1
}

// @inline
function contractionIn(at: usize, anyCase: bool): u32 {
  const fold: u32 = anyCase ? 0x20 : 0
  const letter = <u32>load<u8>(at + 1) | fold
  if (letter === 0x73 || letter === 0x64 || letter === 0x6d || letter === 0x74) return 2
  const second = <u32>load<u8>(at + 2) | fold
  return ((letter === 0x72 || letter === 0x76) && second === 0x65) || (letter === 0x6c && second === 0x6c)
    ? 3
    : 0
}

/**
 * The places where pieces start, as bits: bit i for `at + i`, bit 0 always set. The text between two neighbouring bits is
 * a piece; that of the highest bit may go on. `length` bytes are text, 64 can be read.
 */
function startsGpt2(at: usize, length: u32): u64 {
  length = sort(at, length, false, false)
  const others = ~(letters | numbers | spaces)
  // Whether a piece starts at a byte depends on the byte before and the byte after.
  if (length < 3) return 1
  const known = lowest(length - 1)
  const runs = (letters & ~(letters << 1)) | (numbers & ~(numbers << 1)) | (others & ~(others << 1))
  // A run of whitespace without its last character is a piece. The last one leads the next run if it is a blank,
  // else it is a piece by itself.
  const edges = spaces & (~(spaces << 1) | ~(spaces >> 1))
  let starts = (((runs & ~(blanks << 1)) | edges) & known) | 1
  for (let left = starts & quotes & (letters >> 1); left; left &= left - 1) {
    const i = <u32>ctz(left)
    if (i + 3 > length) return starts & lowest(i + 1)
    const size = contractionIn(at + i, false)
    if (size === 0) continue
    starts = (starts & ~((<u64>2) << i)) | (((<u64>1) << i) << size)
  }
  return starts & known
}

/**
 * {@link startsGpt2} for patterns in which newlines belong to the symbols before them, one symbol leads a word, and
 * numbers form groups of three (`single`: of one). `words`: those of o200k_base.
 */
// @inline
function startsModern(at: usize, length: u32, words: bool, single: bool): u64 {
  length = sort(at, length, words, true)
  const others = ~(letters | numbers | spaces)
  if (length < 4) return 1
  // Whether a piece starts at a byte depends on the byte before and the two bytes after.
  let known = lowest(length - 2)
  // Newlines right after symbols belong to them: adding at such a run's lowest bit carries through the run.
  const taken = newlines & ~(newlines + (newlines & (others << 1)))
  if (words) {
    // Slashes after these newlines, and newlines after those, belong to the symbols too: rare, left to scan.ts.
    for (let left = (taken << 1) & others; left; left &= left - 1)
      if (load<u8>(at + <usize>ctz(left)) === SLASH) known &= lowest(<u32>ctz(left))
  }
  const white = spaces & ~taken
  const flat = white & ~newlines
  let starts: u64 = white & ~(white << 1)
  // After its last newline a run of whitespace begins again, if characters are left.
  for (let left = flat & (newlines << 1) & (white << 1); left; left &= left - 1) {
    const i = <u32>ctz(left)
    const after = <u32>ctz(~(flat >> i)) + i
    if (after >= length) known &= lowest(i)
    else if (!((newlines >> after) & 1)) starts |= (<u64>1) << i
  }
  // The last character of a run of whitespace, if it is no newline, is a piece by itself or leads the next piece.
  starts |= flat & ~(white >> 1)

  const symbols = others & ~(others << 1) & ~(blanks << 1)
  starts |= symbols
  const leaders = flat | (symbols & (letters >> 1))
  starts |= letters & ~(letters << 1) & ~(leaders << 1)
  if (words) starts |= uppers & ((letters & ~uppers) << 1)
  if (single) {
    starts |= numbers
  } else {
    let groups = numbers & ~(numbers << 1)
    while (groups) {
      starts |= groups
      groups = (groups << 3) & numbers & (numbers << 1) & (numbers << 2)
    }
  }
  starts = (starts & known) | 1

  if (words) {
    let after: u32 = 0
    for (let left = quotes & (letters << 1) & (letters >> 1) & known; left; left &= left - 1) {
      const i = <u32>ctz(left)
      if (i === after && after) continue
      const size = contractionIn(at + i, true)
      if (size === 0) continue
      after = i + size
      starts = (starts & ~((((<u64>1) << size) - 1) << i)) | (((<u64>1) << i) << size)
    }
  } else {
    for (let left = quotes & symbols & (letters >> 1) & known; left; left &= left - 1) {
      const i = <u32>ctz(left)
      const size = contractionIn(at + i, true)
      if (size === 0) continue
      starts |= ((<u64>1) << i) << size
    }
  }
  return starts & known
}

/** {@link startsGpt2} for any pattern; 0 for GPT2_DIGITS, which only scan.ts knows. */
// @inline
export function startsAt(pattern: i32, at: usize, length: u32): u64 {
  if (pattern === GPT2) return startsGpt2(at, length)
  if (pattern === CL100K || pattern === LLAMA3) return startsModern(at, length, false, false)
  if (pattern === O200K) return startsModern(at, length, true, false)
  return pattern === QWEN2 ? startsModern(at, length, false, true) : 0
}
