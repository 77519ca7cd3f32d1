// Tokens as JSON: `{"id":15496,"bytes":"SGVsbG8=","text":"Hello","start":0,"end":5},…`. The text before a token's
// offsets depends only on its id: the host writes it once for each id, and this code copies it, 64 bytes at a time: a
// copy may touch up to 64 bytes behind the output and read up to 64 bytes behind a text.

import { digitCount } from './decimal'
import { writeInteger } from './integer'

const COMMA: u8 = 44
/** Bytes of `,"end":` and `},`: with the two offsets, of up to ten digits each, they follow an entry's text. */
const FRAME_BYTES: u32 = 7 + 2
const MAX_OFFSET_BYTES: usize = 10 + 10 + FRAME_BYTES
/** Offset of the text in an entry, behind two uint32: the text's length, and the number of the token's bytes. */
const ENTRY_TEXT: usize = 8

/** How many tokens the last call measured or wrote, and the offset in the text at which they end. */
export let done: u32 = 0
export let end: u32 = 0

/** Bytes that `count` ids take, with a comma behind each. */
export function measureIds(ids: usize, count: u32): u32 {
  let bytes = count
  for (const last = ids + ((<usize>count) << 2); ids < last; ids += 4) bytes += digitsOf(load<u32>(ids))
  return bytes
}

/**
 * Bytes that tokens take, with a comma behind each, up to the first id without an entry; parameters as in
 * `writeTokens`.
 */
export function measureTokens(entries: usize, ids: usize, count: u32, start: u32): u32 {
  let bytes: u32 = 0
  let digits = digitsOf(start)
  let i: u32 = 0
  for (; i < count; i++) {
    const entry = entryOf(entries, ids, i)
    if (entry === 0) break
    bytes += load<u32>(entry) + FRAME_BYTES + digits
    start += load<u32>(entry, 4)
    digits = digitsOf(start)
    bytes += digits
  }
  done = i
  end = start
  return bytes
}

// @inline
function digitsOf(value: u32): u32 {
  return digitCount(value | 1) // 0 has a digit too
}

// @inline
function entryOf(entries: usize, ids: usize, i: u32): usize {
  const id = <usize>load<u32>(ids + ((<usize>i) << 2))
  return <usize>load<u32>(entries + (id << 2))
}

/** Writes `count` ids, a comma behind each; returns the bytes written. */
export function writeIds(out: usize, ids: usize, count: u32): u32 {
  const first = out
  for (const last = ids + ((<usize>count) << 2); ids < last; ids += 4) {
    out = writeInteger(out, load<i32>(ids))
    store<u8>(out++, COMMA)
  }
  return <u32>(out - first)
}

/**
 * Writes as many of `count` tokens as `room` bytes take, a comma behind each; returns the bytes written. `entries` has
 * for each id the address of its entry; `start` is the offset at which the first token begins.
 */
export function writeTokens(
  out: usize,
  room: usize,
  entries: usize,
  ids: usize,
  count: u32,
  start: u32,
): u32 {
  const first = out
  const limit = out + room
  let i: u32 = 0
  for (; i < count; i++) {
    const entry = entryOf(entries, ids, i)
    const length = <usize>load<u32>(entry)
    const behind = out + length
    if (behind + MAX_OFFSET_BYTES > limit) break
    copyText(out, entry + ENTRY_TEXT, length)
    out = writeInteger(behind, start)
    store<u64>(out, 0x003a22646e65222c) // ,"end":
    start += load<u32>(entry, 4)
    out = writeInteger(out + 7, start)
    store<u16>(out, 0x2c7d) // },
    out += 2
  }
  done = i
  end = start
  return <u32>(out - first)
}

/** Most texts are shorter than 64 bytes. */
// @inline
function copyText(out: usize, from: usize, length: usize): void {
  v128.store(out, v128.load(from))
  v128.store(out, v128.load(from, 16), 16)
  v128.store(out, v128.load(from, 32), 32)
  v128.store(out, v128.load(from, 48), 48)
  for (let at: usize = 64; at < length; at += 16) v128.store(out + at, v128.load(from + at))
}
