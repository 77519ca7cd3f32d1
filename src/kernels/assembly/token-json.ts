// Tokens as JSON: `{"id":15496,"bytes":"SGVsbG8=","text":"Hello","start":0,"end":5},…`. All that stands before a token's
// offsets depends on its id alone: the host writes that text once, here it is copied.
//
// Copies are wide: up to 64 bytes behind what is written may be touched, and as many behind a text be read.
import { writeInteger } from './integer'

const COMMA: u8 = 44
/** Most bytes of what stands behind a token's text: two offsets of up to ten digits, `,"end":` and `},`. */
const OFFSET_BYTES: usize = 10 + 7 + 10 + 2
/** Where a token's text begins in its entry, behind the text's length and the token's own bytes (uint32 each). */
const ENTRY_TEXT: usize = 8

/** Tokens that the last call wrote, and the offset in the text at which they end. */
export let written: u32 = 0
export let end: u32 = 0

/** Writes `count` ids, a comma behind each; returns the bytes written. */
export function writeIds(out: usize, ids: usize, count: u32): u32 {
  const first = out
  for (const last = ids + (<usize>count << 2); ids < last; ids += 4) {
    out = writeInteger(out, load<i32>(ids))
    store<u8>(out++, COMMA)
  }
  return <u32>(out - first)
}

/**
 * Writes as many of `count` tokens as `room` bytes take, a comma behind each; returns the bytes written. `entries` has
 * for each id the address of its entry; `start` is the offset at which the first token begins.
 */
export function writeTokens(out: usize, room: usize, entries: usize, ids: usize, count: u32, start: u32): u32 {
  const first = out
  const limit = out + room
  let done: u32 = 0
  for (; done < count; done++) {
    const id = <usize>load<u32>(ids + (<usize>done << 2))
    const entry = <usize>load<u32>(entries + (id << 2))
    const length = <usize>load<u32>(entry)
    const behind = out + length
    if (behind + OFFSET_BYTES > limit) break
    copyText(out, entry + ENTRY_TEXT, length)
    out = writeInteger(behind, start)
    store<u64>(out, 0x003a22646e65222c) // ,"end":
    start += load<u32>(entry, 4)
    out = writeInteger(out + 7, start)
    store<u16>(out, 0x2c7d) // },
    out += 2
  }
  written = done
  end = start
  return <u32>(out - first)
}

/** Most texts are shorter than 64 bytes. */
// @ts-ignore: decorator
@inline
function copyText(out: usize, from: usize, length: usize): void {
  v128.store(out, v128.load(from))
  v128.store(out, v128.load(from, 16), 16)
  v128.store(out, v128.load(from, 32), 32)
  v128.store(out, v128.load(from, 48), 48)
  for (let at: usize = 64; at < length; at += 16) v128.store(out + at, v128.load(from + at))
}
