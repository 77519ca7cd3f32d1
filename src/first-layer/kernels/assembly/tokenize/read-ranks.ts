// Reads js-tiktoken's ranks, a part in each call: `! 0 IQ== Ig==` means token 0 is `!` and token 1 is `"`.
import { beginToken, DONE, endTokens, MORE, reserveTokens, size, tokenBytes } from './vocabulary'

let rankAt: usize = 0
let ranksEnd: usize = 0
let rankCapacity: u32 = 0
let rankOut: usize = 0

/** Begins to read ranks. `capacity` is at least the number of ids, and `bytes` at least the bytes of all tokens. */
export function beginRanks(text: usize, bytes: usize, capacity: u32): void {
  reserveTokens(capacity, bytes)
  rankAt = text
  ranksEnd = text + bytes
  rankCapacity = capacity
  rankOut = tokenBytes
}

/** Reads on, about `bytes` of the ranks; returns DONE, MORE, or the number of ids read before text of another form. */
export function readSomeRanks(bytes: usize): u32 {
  const until = min(ranksEnd, rankAt + bytes)
  let at = rankAt
  while (at < until) {
    let byte = load<u8>(at)
    if (byte === 0x0a || byte === 0x20) {
      at++
    } else if (byte === 0x21) {
      let first: u32 = 0
      for (at += 2; at < ranksEnd; at++) {
        byte = load<u8>(at)
        if (byte - 0x30 >= 10) break
        first = first * 10 + (byte - 0x30)
      }
      if (first < size || first > rankCapacity) return size
      // Ids that no line lists are holes: tokens without bytes.
      while (size < first) beginToken(rankOut)
    } else {
      if (size === rankCapacity) return size
      beginToken(rankOut)
      at = readBase64(at)
    }
  }
  rankAt = at
  if (at < ranksEnd) return MORE
  endTokens(rankOut)
  return DONE
}

/** Writes the bytes of the base64 at `at` behind the token's; returns where it ends. */
function readBase64(at: usize): usize {
  let bits: u32 = 0
  let count: u32 = 0
  for (; at < ranksEnd; at++) {
    const byte = load<u8>(at)
    if (byte <= 0x20) break
    if (byte === 0x3d) continue
    bits = (bits << 6) | sixBits(byte)
    count += 6
    if (count < 8) continue
    count -= 8
    store<u8>(rankOut++, bits >> count)
  }
  return at
}

function sixBits(byte: u32): u32 {
  if (byte >= 0x61) return byte - 0x61 + 26
  if (byte >= 0x41) return byte - 0x41
  if (byte >= 0x30) return byte - 0x30 + 52
  return byte === 0x2b ? 62 : 63
}
