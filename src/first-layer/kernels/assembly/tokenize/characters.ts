// The classes of characters that a pattern tells apart, as a two-level table, which the host writes before the first text.
import { reserve } from '../own-memory'

const INDEX_BYTES: usize = 0x1100 * 2

let index: usize = 0
let pages: usize = 0
let regions: usize = 0
/** In place of a character's class at the end of a text. */
export let endClass: u32 = 0

/** Reserves the tables; the host writes to the returned address 0x1100 page numbers (uint16), pages, and the regions. */
export function reserveClasses(bytes: u32, classes: u32): usize {
  index = reserve(bytes)
  pages = index + INDEX_BYTES
  regions = index + bytes - classes
  endClass = classes
  return index
}

/** The classes of ASCII's characters. */
// @inline
export function pageOfAscii(): usize {
  return pages
}

/** The parts of the text to which characters of a class belong, as bits: no piece reaches from one into another. */
// @inline
export function regionOf(kind: u32): u32 {
  return load<u8>(regions + kind)
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
  const page = <u32>load<u16>(index + ((codePoint >> 8) << 1))
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
