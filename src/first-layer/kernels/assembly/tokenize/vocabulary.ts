// The tokens from which the tables are built: their bytes, one behind the other, and where each starts.
//
//     tokenBytes  | token 0 | token 1 | … | token size − 1 |
//     tokenStarts   0         …             …                the last one's end   (uint32, offsets from tokenBytes)
//
// The host writes them (`placeTokens`), or read-ranks.ts does, one by one. An id without a token is a hole: a token
// without bytes.
import { reserve } from '../own-memory'
import { byteId, lengthOf, NONE } from './tables'

/** Bytes of all tokens, and where each starts (one more: where the last ends). */
export let tokenBytes: usize = 0
export let tokenStarts: usize = 0

/** The number of tokens so far: highest id + 1. */
export let size: u32 = 0

/** Address of the host's id for each token (int32); 0: the tokens are the ids. */
let ids: usize = 0

export function nameTokens(at: usize): void {
  ids = at
}

/** Writes the host's id of a token to `out`, or those of its bytes if it has none (−1); returns where they end. */
// @inline
export function putIds(token: u32, out: usize): usize {
  const id = ids === 0 ? token : load<u32>(ids + ((<usize>token) << 2))
  store<u32>(out, id)
  return <i32>id < 0 ? putBytes(token, out) : out + 4
}

function putBytes(token: u32, out: usize): usize {
  const end = startOf(token) + lengthOf(token)
  for (let at = startOf(token); at < end; at++, out += 4)
    store<u32>(out, load<u32>(ids + ((<usize>byteId(load<u8>(at))) << 2)))
  return out
}

/** Results of a call that reads or builds a part of the vocabulary; any other is a token that breaks a rule. */
export const MORE: u32 = 0xfffffffe
export const DONE: u32 = NONE

// @inline
export function startOf(id: u32): usize {
  return tokenBytes + load<u32>(tokenStarts + ((<usize>id) << 2))
}

/** Reserves room for `count` tokens of `bytes` bytes in all; the host writes `tokenBytes` and `tokenStarts`. */
export function placeTokens(count: u32, bytes: usize): void {
  size = count
  tokenStarts = reserve((count + 1) * 4)
  tokenBytes = reserve(bytes)
}

/** Reserves room for at most `count` tokens of at most `bytes` bytes in all, for `beginToken`. */
export function reserveTokens(count: u32, bytes: usize): void {
  placeTokens(count, bytes)
  size = 0
}

/** Begins the next token, whose bytes the caller writes from `at` on. */
// @inline
export function beginToken(at: usize): void {
  store<u32>(tokenStarts + (size++ << 2), <u32>(at - tokenBytes))
}

/** Ends the last token, whose bytes stand before `at`. */
// @inline
export function endTokens(at: usize): void {
  store<u32>(tokenStarts + (size << 2), <u32>(at - tokenBytes))
}

/** The number of tokens: highest id + 1. */
export function tokenCount(): u32 {
  return size
}
