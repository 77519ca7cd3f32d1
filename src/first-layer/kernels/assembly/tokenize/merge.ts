// Byte-pair merging of pieces: merges the pair of lowest rank, the leftmost of equal ones, until no pair can
// merge.
//
// Each merge looks up tables that are too large for the caches, and the next merge depends on the result.
// Therefore this code merges many pieces side by side, one merge of each in turn: first it reads ahead, for all
// pieces, the table entries that they will need; then it looks them up.
import { byteId, maybePair, mergedPair, NO_PAIR, NONE, pairOf, putIds, tokenOfTwo } from './tables'

/** Bytes of the longest piece that is merged this way. */
export const WIDE: usize = 64
/** Pieces merged side by side. */
export const MANY: u32 = 32

// A piece at work. KEYS: `keyOf(rank, byte)` for each byte where a token starts that can merge with the next one,
// else NONE. IDS: the tokens, by the byte of the piece at which they start.
const IDS: usize = 256
const STARTS: usize = 512
const KEYS_END: usize = 520
/** The bytes where the merged token and the token before it start; the pairs that it may form with its neighbours. */
const PLACE: usize = 524
const LEFT: usize = 528
const LEFT_PAIR: usize = 536
const RIGHT_PAIR: usize = 544
const AT: usize = 552
const LENGTH: usize = 556
/** In place of the byte where the token before starts, if there is none: its key is never read. */
const NOWHERE: u32 = 142
const WORK: usize = 576

const works: usize = memory.data(32 * 576, 64)
const active: usize = memory.data(32 * 4, 16)
const AHEAD: usize = memory.data(8, 8)
let count: u32 = 0

/** Takes a piece of 2 … 64 bytes as the next of those that `mergeAll` merges. */
// @inline
export function takePiece(at: usize, length: usize): void {
  const work = works + <usize>count * WORK
  store<u32>(work, <u32>at, AT)
  store<u32>(work, <u32>length, LENGTH)
  store<u32>(active + ((<usize>count) << 2), <u32>work)
  count++
}

/** Merges the pieces taken; `takeMerged` gives their ids. */
export function mergeAll(): void {
  let ahead: u64 = 0
  for (let k: u32 = 0; k < count; k++) lay(works + <usize>k * WORK)
  let left = count
  count = 0
  while (left > 0) {
    for (let k: u32 = 0; k < left; ) {
      if (mergeLowest(<usize>load<u32>(active + ((<usize>k) << 2)))) k++
      else store<u32>(active + ((<usize>k) << 2), load<u32>(active + ((<usize>--left) << 2)))
    }
    for (let k: u32 = 0; k < left; k++) {
      const work = <usize>load<u32>(active + ((<usize>k) << 2))
      ahead += maybePair(load<u64>(work, LEFT_PAIR)) + maybePair(load<u64>(work, RIGHT_PAIR))
    }
    store<u64>(AHEAD, ahead)
    for (let k: u32 = 0; k < left; k++) {
      const work = <usize>load<u32>(active + ((<usize>k) << 2))
      rank(work, load<u32>(work, PLACE), mergedPair(load<u64>(work, RIGHT_PAIR)))
      rank(work, load<u32>(work, LEFT), mergedPair(load<u64>(work, LEFT_PAIR)))
    }
  }
}

/** Writes the tokens with which merging a piece begins, one for each byte, and the ranks of their pairs. */
// @inline
function lay(work: usize): void {
  const at = <usize>load<u32>(work, AT)
  const length = <usize>load<u32>(work, LENGTH)
  const end = work + ((length + 15) & ~15) * 4
  store<u32>(work, <u32>end, KEYS_END)
  for (let key = end - 64; key < end; key += 16) v128.store(key, i32x4.splat(-1)) // the last keys belong to no byte
  store<u64>(work, <u64>-1 >> (64 - length), STARTS)
  for (let i: usize = 0; i < length; i++) {
    store<u32>(work + (i << 2), byteId(load<u8>(at + i)), IDS)
    if (i + 1 < length) rank(work, <u32>i, tokenOfTwo(at + i))
  }
}

/** Does the next merge and notes the new pairs; returns false if no merge is left. */
// @inline
function mergeLowest(work: usize): bool {
  const keysEnd = <usize>load<u32>(work, KEYS_END)
  let four = i32x4.min_u(
    i32x4.min_u(v128.load(work), v128.load(work, 16)),
    i32x4.min_u(v128.load(work, 32), v128.load(work, 48)),
  )
  for (let keys = work + 64; keys < keysEnd; keys += 64)
    four = i32x4.min_u(
      four,
      i32x4.min_u(
        i32x4.min_u(v128.load(keys), v128.load(keys, 16)),
        i32x4.min_u(v128.load(keys, 32), v128.load(keys, 48)),
      ),
    )
  const two = i32x4.min_u(four, v128.shuffle<i32>(four, four, 2, 3, 0, 1))
  const key = <u32>i32x4.extract_lane(i32x4.min_u(two, v128.shuffle<i32>(two, two, 1, 0, 3, 2)), 0)
  if (key === NONE) return false

  const place = placeOf(key)
  const id = rankOf(key)
  let starts = load<u64>(work, STARTS)
  const after = starts & ~(((<u64>2) << place) - 1)
  const right = <u32>ctz(after)
  starts &= ~((<u64>1) << right)
  store<u64>(work, starts, STARTS)
  store<u32>(work + (place << 2), id, IDS)
  store<u32>(work + (place << 2), NONE)
  store<u32>(work + (right << 2), NONE)
  store<u32>(work, place, PLACE)
  const behind = after & (after - 1)
  store<u64>(
    work,
    select(pairOf(id, load<u32>(work + ((<usize>ctz(behind) & 63) << 2), IDS)), NO_PAIR, behind !== 0),
    RIGHT_PAIR,
  )
  const before = starts & (((<u64>1) << place) - 1)
  const left = 63 - <u32>clz(before | 1)
  store<u32>(work, select(left, NOWHERE, before !== 0), LEFT)
  store<u64>(work, pairOf(load<u32>(work + ((<usize>left) << 2), IDS), id), LEFT_PAIR)
  return true
}

/** Writes the ids of piece `k` of the last `mergeAll` to `out`; returns where they end. */
export function takeMerged(k: u32, out: usize): usize {
  const work = works + <usize>k * WORK
  for (let starts = load<u64>(work, STARTS); starts; starts &= starts - 1)
    out = putIds(load<u32>(work + ((<usize>ctz(starts)) << 2), IDS), out)
  return out
}

/** The key of a possible merge. Keys rise in the order of merges: the lowest rank first, then the leftmost. */
// @inline
function keyOf(rank: u32, place: u32): u32 {
  return (rank << 6) | place
}

// @inline
function rankOf(key: u32): u32 {
  return key >> 6
}

// @inline
function placeOf(key: u32): u32 {
  return key & 63
}

/** Notes the token that a pair whose left token starts at `place` merges to, or NONE. */
// @inline
function rank(work: usize, place: u32, merged: u32): void {
  store<u32>(work + (place << 2), keyOf(merged, place) | (0 - u32(merged === NONE)))
}
