// Byte-pair merging of pieces: merges the pair of lowest rank, the leftmost of equal ones, until no pair can
// merge.
//
// Each merge looks up tables that are too large for the caches, and the next merge depends on the result.
// Therefore this code merges many pieces side by side, one merge of each in turn: first it reads ahead, for all
// pieces, the table entries that they will need; then it looks them up.
import { isForeign, layBytes, layCharacters, rankLaid } from './merge-lay'
import {
  AT,
  IDS,
  KEYS_END,
  LEFT,
  LEFT_PAIR,
  LENGTH,
  NOWHERE,
  PLACE,
  placeOf,
  RIGHT_PAIR,
  rank,
  rankOf,
  STARTS,
  WORK,
} from './merge-work'
import { maybePair, NO_PAIR, NONE, pairOf } from './tables'

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
  for (let k: u32 = 0; k < count; k++) {
    const work = works + <usize>k * WORK
    ahead += isForeign(work) ? layCharacters(work) : layBytes(work)
  }
  store<u64>(AHEAD, ahead)
  for (let k: u32 = 0; k < count; k++) rankLaid(works + <usize>k * WORK)
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
      rank(work, load<u32>(work, PLACE), load<u64>(work, RIGHT_PAIR))
      rank(work, load<u32>(work, LEFT), load<u64>(work, LEFT_PAIR))
    }
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

/** How many ids piece `k` of the last `mergeAll` has. */
export function mergedCount(k: u32): u32 {
  return <u32>popcnt(load<u64>(works + <usize>k * WORK, STARTS))
}

/** Writes the ids of piece `k` to `out`. */
export function takeMerged(k: u32, out: usize): void {
  const work = works + <usize>k * WORK
  for (let starts = load<u64>(work, STARTS); starts; starts &= starts - 1) {
    store<u32>(out, load<u32>(work + ((<usize>ctz(starts)) << 2), IDS))
    out += 4
  }
}
