// A piece that is being merged: what of it is where, and the ranks of its pairs.
import { NONE } from './tables'

/** Bytes of the longest piece that is merged this way. */
export const WIDE: usize = 64
/** Pieces merged side by side. */
export const MANY: u32 = 32

// A piece at work. KEYS: `keyOf(rank, byte)` for each byte where a token starts that can merge with the next one,
// else NONE. IDS: the tokens, by the byte of the piece at which they start.
export const IDS: usize = 256
export const STARTS: usize = 512
export const KEYS_END: usize = 520
/** The bytes where the merged token and the token before it start; the pairs that it may form with its neighbours. */
export const PLACE: usize = 524
export const LEFT: usize = 528
export const LEFT_PAIR: usize = 536
export const RIGHT_PAIR: usize = 544
export const AT: usize = 552
export const LENGTH: usize = 556
/** In place of the byte where the token before starts, if there is none: its key is never read. */
export const NOWHERE: u32 = 142
export const WORK: usize = 576

/** The key of a possible merge. Keys rise in the order of merges: the lowest rank first, then the leftmost. */
// @inline
export function keyOf(rank: u32, place: u32): u32 {
  return (rank << 6) | place
}

// @inline
export function rankOf(key: u32): u32 {
  return key >> 6
}

// @inline
export function placeOf(key: u32): u32 {
  return key & 63
}

/** Notes the token that a pair whose left token starts at `place` merges to, or NONE. */
// @inline
export function rank(work: usize, place: u32, merged: u32): void {
  store<u32>(work + (place << 2), keyOf(merged, place) | (0 - u32(merged === NONE)))
}
