// Character classes: frozen Unicode data as a two-level table, which the host writes before the first text.
import { reserve } from '../own-memory'

export const OTHER: u32 = 0
export const UPPER: u32 = 1
export const LOWER: u32 = 2
export const CASELESS: u32 = 3
export const MARK: u32 = 4
export const NUMBER: u32 = 5
export const SPACE: u32 = 6
export const NEWLINE: u32 = 7

export const QUOTE: u32 = 0x27
export const BLANK: u32 = 0x20
export const SLASH: u32 = 0x2f

const INDEX_BYTES: usize = 0x1100

let index: usize = 0
let pages: usize = 0

/** Reserves the table; the host writes 0x1100 page numbers to the returned address, and `pageBytes` of pages behind. */
export function reserveClasses(pageBytes: u32): usize {
  index = reserve(INDEX_BYTES + pageBytes)
  pages = index + INDEX_BYTES
  return index
}

/** A character: its class in the low byte, its length in bytes in the next; 0 if the text ends within it. */
// @inline
export function characterAt(at: usize, end: usize): u32 {
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
  const page = <u32>load<u8>(index + (codePoint >> 8))
  return <u32>load<u8>(pages + ((page << 8) | (codePoint & 0xff))) | (size << 8)
}

// @inline
export function classOf(character: u32): u32 {
  return character & 0xff
}

// @inline
export function sizeOf(character: u32): usize {
  return character >> 8
}

// @inline
export function isLetter(kind: u32): bool {
  return kind - UPPER <= CASELESS - UPPER
}

/** Whether words of o200k_base may hold the class: letters and marks. */
// @inline
export function isWord(kind: u32): bool {
  return kind - UPPER <= MARK - UPPER
}

// @inline
export function isSpace(kind: u32): bool {
  return kind >= SPACE
}

/** Whether the class is neither letter, number nor whitespace in any pattern. */
// @inline
export function isSymbol(kind: u32): bool {
  return kind === OTHER || kind === MARK
}

/** Bytes of the contraction at the quote `at`, the quote included: `'s` 2, `'ll` 3, none 0. Reads up to two bytes more. */
export function contraction(at: usize, end: usize, anyCase: bool): usize {
  if (end - at < 2) return 0
  const fold: u32 = anyCase ? 0x20 : 0
  const letter = <u32>load<u8>(at + 1) | fold
  if (letter === 0x73 || letter === 0x64 || letter === 0x6d || letter === 0x74) return 2
  if (end - at < 3) return 0
  const second = <u32>load<u8>(at + 2)
  if (letter === 0x72 || letter === 0x76) return (second | fold) === 0x65 ? 3 : 0
  if (letter === 0x6c) return (second | fold) === 0x6c ? 3 : 0
  // U+017F (long s) equals s if case is ignored.
  return anyCase && <u32>load<u8>(at + 1) === 0xc5 && second === 0xbf ? 3 : 0
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
