// Byte-pair merging of a short piece: the pair of lowest rank, the leftmost of equal ones, until none is left.
import { afterTwo, byteId, mergedId, NONE, nodeAfterTwo, size } from './tables'

/** Bytes of the longest piece that is merged this way. */
export const SHORT: usize = 16

/** Tokens by the piece's byte they start at. */
const IDS: usize = memory.data(64, 16)
/** For each byte where a token starts that can merge with the next one: `rank << 4 | byte`, else NONE. */
const KEYS: usize = memory.data(64, 16)

/** Writes the ids of the piece `at … at + length` (2 … 16 bytes) to `out`; returns how many. */
export function mergeShort(at: usize, length: usize, out: usize): u32 {
  const last = <u32>length - 1
  const none = i32x4.splat(-1)
  v128.store(KEYS, none)
  v128.store(KEYS + 16, none)
  v128.store(KEYS + 32, none)
  v128.store(KEYS + 48, none)
  for (let i: u32 = 0; i < last; i++) {
    store<u32>(IDS + (i << 2), byteId(load<u8>(at + i)))
    const pair = nodeAfterTwo(at + i)
    if (pair - 1 < size - 1) store<u32>(KEYS + (i << 2), (pair << 4) | i)
  }
  store<u32>(IDS + (last << 2), byteId(load<u8>(at + last)))

  let starts: u32 = (<u32>2 << last) - 1
  while (true) {
    const low = i32x4.min_u(v128.load(KEYS), v128.load(KEYS + 16))
    const high = i32x4.min_u(v128.load(KEYS + 32), v128.load(KEYS + 48))
    const four = i32x4.min_u(low, high)
    const two = i32x4.min_u(four, v128.shuffle<i32>(four, four, 2, 3, 0, 1))
    const key = <u32>i32x4.extract_lane(i32x4.min_u(two, v128.shuffle<i32>(two, two, 1, 0, 3, 2)), 0)
    if (key == NONE) break

    const i = key & 15
    const id = key >> 4
    const after = starts & ~((<u32>2 << i) - 1)
    const right = ctz(after)
    starts &= ~(<u32>1 << right)
    store<u32>(IDS + (i << 2), id)
    store<u32>(KEYS + (right << 2), NONE)
    const behind = after & (after - 1)
    let merged = behind ? mergedId(id, load<u32>(IDS + (ctz(behind) << 2))) : NONE
    store<u32>(KEYS + (i << 2), merged == NONE ? NONE : (merged << 4) | i)
    const before = starts & ((<u32>1 << i) - 1)
    if (before) {
      const left = 31 - clz(before)
      merged = mergedId(load<u32>(IDS + (left << 2)), id)
      store<u32>(KEYS + (left << 2), merged == NONE ? NONE : (merged << 4) | left)
    }
  }

  let count: u32 = 0
  for (; starts; starts &= starts - 1) store<u32>(out + (count++ << 2), load<u32>(IDS + (ctz(starts) << 2)))
  return count
}
