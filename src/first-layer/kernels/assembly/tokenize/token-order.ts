// The tokens by length, shorter ones first, for the trie: a node that is a token must exist before longer tokens go
// through it. A counting sort in `scratch`:
//
//     scratch | size ids, by length | for each length, 0 … MAX_TOKEN + 1: a number
//
// `measure` counts the tokens of each length n at n + 1; `beginSort` adds these up, so that the number at n is the place
// of the first token of that length; `sort` puts each token at its length's place and moves the place on.
import { byteIds, halves, lengths, MAX_TOKEN, NONE, shorter } from './tables'
import { size, startOf } from './vocabulary'

/** For each length, how many tokens have it; then where, by length, the next of them goes. */
// @inline
function countOf(length: usize, scratch: usize): usize {
  return scratch + ((<usize>size) << 2) + (length << 2)
}

/** Call it before `measure`, when all tokens are placed. */
export function beginMeasure(scratch: usize): void {
  memory.fill(countOf(0, scratch), 0, (MAX_TOKEN + 2) * 4)
}

/** Notes the lengths and the tokens of one byte. Returns NONE, or the first token that is too long. */
export function measure(from: u32, end: u32, scratch: usize): u32 {
  for (let id = from; id < end; id++) {
    const length = <u32>(startOf(id + 1) - startOf(id))
    if (length > MAX_TOKEN) return id
    store<u8>(lengths + id, length)
    store<u32>(countOf(length + 1, scratch), load<u32>(countOf(length + 1, scratch)) + 1)
    if (length !== 1) continue
    store<u32>(byteIds + ((<usize>load<u8>(startOf(id))) << 2), id)
    store<u32>(shorter + ((<usize>id) << 2), NONE)
    store<u64>(halves + ((<usize>id) << 3), ((<u64>id) << 32) | id)
  }
  return NONE
}

export function beginSort(scratch: usize): void {
  for (let i: usize = 1; i <= MAX_TOKEN + 1; i++)
    store<u32>(countOf(i, scratch), load<u32>(countOf(i, scratch)) + load<u32>(countOf(i - 1, scratch)))
}

/** Lists the tokens of `from … end` by length. */
export function sort(from: u32, end: u32, scratch: usize): void {
  for (let id = from; id < end; id++) {
    const place = countOf(load<u8>(lengths + id), scratch)
    store<u32>(scratch + ((<usize>load<u32>(place)) << 2), id)
    store<u32>(place, load<u32>(place) + 1)
  }
}
