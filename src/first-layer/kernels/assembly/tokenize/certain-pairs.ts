// Two neighbouring bytes that are certain to merge, by the bytes around them.
//
// As in certain.ts: two neighbours can be merged first if their token has a lower rank than every token that joins either
// of them to something on its other side. What lies on that side is not known as a token, but it ends, or begins, with a
// known byte. So all such pairs of a piece merge at once, and about half of its merges need no search for the lowest.
import { reserve } from '../own-memory'
import { halves, lengthOf } from './tables'

/**
 * For each two bytes, as one loaded uint16: the token that they merge to, or NONE (uint32); the lowest token of which the
 * first is the left half and the second begins the right one (uint16); the lowest of which the first ends the left half
 * and the second is the right one (uint16). A bound beyond 65,535 is written as that: then fewer pairs are certain.
 */
let entries: usize = 0
const AFTER: usize = 4
const BEFORE: usize = 6
const MOST: u32 = 0xffff

/** Call it before `pairsOfTokens`, which goes through all tokens in their order. */
export function reserveCertainPairs(): void {
  entries = reserve(65536 * 8)
  memory.fill(entries, 0xff, 65536 * 8)
}

// @inline
function entryOf(first: u32, second: u32): usize {
  return entries + ((<usize>(first | (second << 8))) << 3)
}

// @inline
function lower(place: usize, id: u32): void {
  if (id < <u32>load<u16>(place)) store<u16>(place, id)
}

export function pairsOfTokens(from: u32, until: u32, tokenBytes: usize, tokenStarts: usize): void {
  for (let id = from; id < until; id++) {
    if (lengthOf(id) < 2) continue
    const left = load<u32>(halves + ((<usize>id) << 3))
    const right = load<u32>(halves + ((<usize>id) << 3) + 4)
    const end = tokenBytes + load<u32>(tokenStarts + ((<usize>left) << 2)) + lengthOf(left)
    const start = tokenBytes + load<u32>(tokenStarts + ((<usize>right) << 2))
    const entry = entryOf(load<u8>(end - 1), load<u8>(start))
    if (lengthOf(left) === 1) lower(entry + AFTER, id)
    if (lengthOf(right) === 1) lower(entry + BEFORE, id)
    if (lengthOf(left) === 1 && lengthOf(right) === 1) store<u32>(entry, id)
  }
}

/** The entry of the two bytes at `at`. */
// @inline
export function entryAt(at: usize): u64 {
  return load<u64>(entries + ((<usize>load<u16>(at)) << 3))
}

/** Stands for an entry beyond the piece's end: no token, and no bound. */
export const NO_ENTRY: u64 = 0xffffffffffffffff

/** The token of an entry's two bytes, or NONE. */
// @inline
export function tokenOf(entry: u64): u32 {
  return <u32>entry
}

/** Whether the two bytes of `entry` are certain to merge between those of the entries before and after it. */
// @inline
export function isCertain(before: u64, entry: u64, after: u64): u32 {
  const id = <u32>entry
  return u32(id < <u32>(before >> 48)) & u32(id < (<u32>(after >> 32) & MOST))
}
