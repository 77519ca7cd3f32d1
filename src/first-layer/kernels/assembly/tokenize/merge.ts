// Byte-pair merging of pieces: merges the pair of lowest rank, the leftmost of equal ones, until no pair can
// merge.
//
// Each merge looks up tables that are too large for the caches, and the next merge depends on the result.
// Therefore this code merges many pieces side by side, one merge of each in turn: first it reads ahead, for all
// pieces, the table entries that they will need; then it looks them up.
import { certainForm, LAST_TWO, STARTS_OF, useful } from './certain'
import { byteId, maybePair, mergedPair, NO_PAIR, NONE, nodeAfterTwo, pairOf, size } from './tables'

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
    const end = <usize>load<u32>(work, AT) + load<u32>(work, LENGTH)
    if (isForeign(work)) continue
    for (let at = <usize>load<u32>(work, AT); at < end; at++) ahead += nodeAfterTwo(at)
  }
  for (let k: u32 = 0; k < count; k++) {
    const work = works + <usize>k * WORK
    if (isForeign(work)) ahead += lay(work)
  }
  store<u64>(AHEAD, ahead)
  for (let k: u32 = 0; k < count; k++) {
    const work = works + <usize>k * WORK
    if (isForeign(work)) rankLaid(work)
    else begin(work)
  }
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

/** Writes the tokens with which merging a piece begins; reads their pairs ahead and returns the sum of the reads. */
function lay(work: usize): u64 {
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
  let ahead: u64 = 0
  let before: u32 = 0
  for (; starts; starts &= starts - 1) {
    const id = load<u32>(work + ((<usize>ctz(starts)) << 2), IDS)
    ahead += maybePair(pairOf(before, id))
    before = id
  }
  return ahead
}

/** Ranks the pairs of a piece whose tokens `lay` has written. */
function rankLaid(work: usize): void {
  const keysEnd = work + ((<usize>load<u32>(work, LENGTH) + 15) & ~15) * 4
  store<u32>(work, <u32>keysEnd, KEYS_END)
  for (let key = work; key < keysEnd; key += 16) v128.store(key, i32x4.splat(-1))
  const starts = load<u64>(work, STARTS)
  let place: u32 = 0
  for (let left = starts & (starts - 1); left; left &= left - 1) {
    const next = <u32>ctz(left)
    rank(work, place, pairOf(load<u32>(work + (place << 2), IDS), load<u32>(work + (next << 2), IDS)))
    place = next
  }
}

function begin(work: usize): void {
  const at = <usize>load<u32>(work, AT)
  const length = <usize>load<u32>(work, LENGTH)
  const last = <u32>length - 1
  const keysEnd = work + ((length + 15) & ~15) * 4
  store<u32>(work, <u32>keysEnd, KEYS_END)
  store<u64>(work, ((<u64>2) << last) - 1, STARTS)
  for (let key = keysEnd - 64; key < keysEnd; key += 16) v128.store(key, i32x4.splat(-1))
  for (let i: u32 = 0; i < last; i++) {
    const pair = nodeAfterTwo(at + i)
    // NONE where the pair is no token. A branch would have to wait for the pair.
    const none = u32(pair - 1 < size - 1) - 1
    store<u32>(work + (i << 2), keyOf(pair, i) | none)
    store<u32>(work + (i << 2), byteId(load<u8>(at + i)), IDS)
  }
  store<u32>(work + (last << 2), byteId(load<u8>(at + last)), IDS)
}

// @inline
function rank(work: usize, place: u32, pair: u64): void {
  if (pair === NO_PAIR) return
  const merged = mergedPair(pair)
  if (merged !== NONE) store<u32>(work + (place << 2), keyOf(merged, place))
  else store<u32>(work + (place << 2), NONE)
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
    behind ? pairOf(id, load<u32>(work + ((<usize>ctz(behind)) << 2), IDS)) : NO_PAIR,
    RIGHT_PAIR,
  )
  const before = starts & (((<u64>1) << place) - 1)
  const left = 63 - <u32>clz(before | 1)
  store<u32>(work, left, LEFT)
  store<u64>(work, before ? pairOf(load<u32>(work + ((<usize>left) << 2), IDS), id) : NO_PAIR, LEFT_PAIR)
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
