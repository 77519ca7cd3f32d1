// Keys of pieces, 16 bytes: up to 15 bytes are the piece itself. The hash has a random key, so that nobody can construct a
// text whose pieces collide.

/** Longest piece whose bytes are its key: the last of a key's 16 bytes is the length. */
export const MAX_PIECE: usize = 15
export let keyLow: u64 = 1
export let keyHigh: u64 = 1

/** For each length n, a mask of 16 bytes that keeps the first n. */
const KEEP: usize = memory.data(256, 16)

/** Takes the hash's key. */
export function setKeys(low: u64, high: u64): void {
  keyLow = low | 1
  keyHigh = high | 1
  for (let length: usize = 0; length < 16; length++) memory.fill(KEEP + length * 16, 0xff, length)
}

/** The first half of a short piece's key: its first eight bytes, zeros where it has fewer. */
// @inline
export function lowKey(at: usize, length: usize): u64 {
  return load<u64>(at) & load<u64>(KEEP + (length << 4))
}

/** The key's second half: the piece's other bytes, and its length in the last byte, so that no piece's key is 0. */
// @inline
export function highKey(at: usize, length: usize): u64 {
  return (load<u64>(at + 8) & load<u64>(KEEP + (length << 4), 8)) | ((<u64>length) << 56)
}

/** The first half of a long piece's key, a hash with two secret keys; the second is `~length`. */
export function longKey(at: usize, length: usize): u64 {
  let hash: u64 = 0
  for (let i: usize = 0; i < length; i += 8) {
    hash = (hash ^ lowKey(at + i, min(length - i, 8))) * keyLow
    hash = (hash ^ (hash >> 32)) * keyHigh
  }
  return hash
}

// @inline
export function isLongKey(high: u64): bool {
  return high >> 56 === 0xff
}

export function isSame(a: usize, b: usize, length: usize): bool {
  for (let i: usize = 0; i < length; i += 8)
    if (lowKey(a + i, min(length - i, 8)) !== lowKey(b + i, min(length - i, 8))) return false
  return true
}
