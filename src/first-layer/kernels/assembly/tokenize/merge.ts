// Byte-pair merging of pieces: merges the pair of lowest rank, the leftmost of equal ones, until no pair can
// merge.
//
// Each merge looks up tables that are too large for the caches, and the next merge depends on the result.
// Therefore this code merges many pieces side by side, one merge of each in turn: first it reads ahead, for all
// pieces, the table entries that they will need; then it looks them up.
import { certainForm, LAST_TWO, STARTS_OF, useful } from './certain'
import { entryAt, isCertain, NO_ENTRY, tokenOf } from './certain-pairs'
import { byteId, maybePair, mergedPair, NO_PAIR, NONE, pairOf } from './tables'

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
/** Where tokens start whose pairs with the next ones are still to be ranked. */
const UNRANKED: usize = 560
/** In place of the byte where the token before starts, if there is none: its key is never read. */
const NOWHERE: u32 = 142
const WORK: usize = 576

const works: usize = memory.data(32 * 576, 64)
const active: usize = memory.data(32 * 4, 16)
const AHEAD: usize = memory.data(8, 8)
let count: u32 = 0

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

/** Whether a piece may have characters that are certain to merge, judged by its first four bytes. */
// @inline
function isForeign(work: usize): bool {
  return useful && (load<u32>(<usize>load<u32>(work, AT)) & 0x80808080) !== 0
}

/**
 * Writes the tokens with which merging a piece begins: pairs of bytes that are certain to merge, and single bytes. Ranks
 * the pairs of single bytes, reads the others ahead and returns the sum of the reads.
 */
function layBytes(work: usize): u64 {
  const at = <usize>load<u32>(work, AT)
  const length = <usize>load<u32>(work, LENGTH)
  clearLastKeys(work, length)
  const last = length - 1
  let starts: u64 = 0
  let isStart: u32 = 1
  let before = NO_ENTRY
  let entry = entryAt(at)
  for (let i: usize = 0; i < last; i++) {
    // Without branches: the processor could not predict them.
    const after = select(entryAt(at + i + 1), NO_ENTRY, i + 1 < last)
    const token = tokenOf(entry)
    const certain = isCertain(before, entry, after)
    store<u32>(work + (i << 2), select(token, byteId(load<u8>(at + i)), certain), IDS)
    store<u32>(work + (i << 2), keyOf(token, <u32>i) | (u32(token !== NONE) - 1) | (isStart - 1))
    starts |= (<u64>isStart) << i
    isStart = certain ^ 1
    before = entry
    entry = after
  }
  store<u32>(work + (last << 2), byteId(load<u8>(at + last)), IDS)
  starts |= (<u64>isStart) << last
  store<u64>(work, starts, STARTS)
  const bottom = <u64>63 - clz(starts)
  store<u32>(work + ((<usize>bottom) << 2), NONE)
  const single = starts & ((starts >> 1) | ((<u64>1) << last))
  return readAhead(work, starts & ~(single & (single >> 1)) & ~((<u64>1) << bottom))
}

/** {@link layBytes} for text with characters of three bytes. */
function layCharacters(work: usize): u64 {
  const at = <usize>load<u32>(work, AT)
  const length = <usize>load<u32>(work, LENGTH)
  let starts: u64 = 0
  for (let i: usize = 0; i < length; ) {
    const lead = <u32>load<u8>(at + i)
    const ids = work + (i << 2)
    store<u32>(ids, byteId(lead), IDS)
    if ((lead & 0xf0) !== 0xe0 || i + 3 > length) {
      starts |= (<u64>1) << i++
      continue
    }
    // Without branches: the processor could not predict them, since the form differs from character to character.
    const form = i === 0 || load<u8>(at + i - 1) >= 0x80 ? certainForm(at + i) : 0
    const what = form & 3
    store<u32>(ids, byteId(load<u8>(at + i + 1)), IDS + 4)
    store<u32>(ids, byteId(load<u8>(at + i + 2)), IDS + 8)
    const place = ids + (usize(what === LAST_TWO) << 2)
    store<u32>(place, select(form >> 2, load<u32>(place, IDS), what), IDS)
    starts |= (<u64>((STARTS_OF >> (what << 2)) & 7)) << i
    i += 3
  }
  store<u64>(work, starts, STARTS)
  clearLastKeys(work, length)
  for (let key = work, end = work + (length << 2); key < end; key += 16) v128.store(key, i32x4.splat(-1))
  return readAhead(work, starts & ~((<u64>1) << (63 - clz(starts))))
}

/** Notes where the keys end, and that the last of them belong to no byte. */
// @inline
function clearLastKeys(work: usize, length: usize): void {
  const end = work + ((length + 15) & ~15) * 4
  store<u32>(work, <u32>end, KEYS_END)
  for (let key = end - 64; key < end; key += 16) v128.store(key, i32x4.splat(-1))
}

/** Notes the pairs that are to be ranked, by where their left tokens start, and reads their slots. */
// @inline
function readAhead(work: usize, unranked: u64): u64 {
  store<u64>(work, unranked, UNRANKED)
  const starts = load<u64>(work, STARTS)
  let ahead: u64 = 0
  for (let left = unranked; left; left &= left - 1) ahead += maybePair(pairAt(work, starts, <u32>ctz(left)))
  return ahead
}

/** The pair of the token that starts at `place` and the next one, which there must be. */
// @inline
function pairAt(work: usize, starts: u64, place: u32): u64 {
  const next = ctz(starts & ~(((<u64>2) << place) - 1))
  return pairOf(load<u32>(work + ((<usize>place) << 2), IDS), load<u32>(work + ((<usize>next) << 2), IDS))
}

function rankLaid(work: usize): void {
  const starts = load<u64>(work, STARTS)
  for (let left = load<u64>(work, UNRANKED); left; left &= left - 1) {
    const place = <u32>ctz(left)
    rank(work, place, pairAt(work, starts, place))
  }
}

// @inline
function rank(work: usize, place: u32, pair: u64): void {
  const merged = mergedPair(pair)
  store<u32>(work + (place << 2), keyOf(merged, place) | (0 - u32(merged === NONE)))
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
