// The tokens with which merging a piece begins, and the ranks of their pairs.
import { certainForm, LAST_TWO, STARTS_OF, useful } from './certain'
import { entryAt, isCertain, NO_ENTRY, tokenOf } from './certain-pairs'
import { AT, IDS, KEYS_END, keyOf, LENGTH, rank, STARTS, UNRANKED } from './merge-work'
import { byteId, maybePair, NONE, pairOf } from './tables'

/** Whether a piece may have characters that are certain to merge, judged by its first four bytes. */
// @inline
export function isForeign(work: usize): bool {
  return useful && (load<u32>(<usize>load<u32>(work, AT)) & 0x80808080) !== 0
}

/**
 * Writes the tokens with which merging a piece begins: pairs of bytes that are certain to merge, and single bytes. Ranks
 * the pairs of single bytes, reads the others ahead and returns the sum of the reads.
 */
export function layBytes(work: usize): u64 {
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
export function layCharacters(work: usize): u64 {
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

export function rankLaid(work: usize): void {
  const starts = load<u64>(work, STARTS)
  for (let left = load<u64>(work, UNRANKED); left; left &= left - 1) {
    const place = <u32>ctz(left)
    rank(work, place, pairAt(work, starts, place))
  }
}
