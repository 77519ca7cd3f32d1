// Tokens that no merge gives and that only encode a whole piece. The piece table holds those of up to 15 bytes, this
// table the longer ones. Most vocabularies have none.
import { exponentOf, reserve } from '../own-memory'
import { NONE } from './tables'

const HASH: u64 = 0x9e3779b97f4a7c15

/** Slots of twelve bytes: where the token's bytes are (0: free), how many, the token. */
const SLOT: usize = 12
let slots: usize = 0
let shift: u64 = 0
let mask: u32 = 0

/** Reserves room for `count` tokens. */
export function reserveWholePieces(count: u32): void {
  const bits = exponentOf(count) + 2
  slots = reserve(SLOT << bits)
  shift = 64 - bits
  mask = (1 << bits) - 1
}

// @inline
function slotOf(at: usize, length: usize): u32 {
  return <u32>(((load<u64>(at) ^ (load<u64>(at + length - 8) * HASH) ^ length) * HASH) >> shift)
}

/** Adds a token of at least 16 bytes, whose bytes stay at `at`. */
export function addWholePiece(token: u32, at: usize, length: usize): void {
  let i = slotOf(at, length)
  while (load<u32>(slots + <usize>i * SLOT) !== 0) i = (i + 1) & mask
  const slot = slots + <usize>i * SLOT
  store<u32>(slot, <u32>at)
  store<u32>(slot, <u32>length, 4)
  store<u32>(slot, token, 8)
}

/** The token that the piece of at least 16 bytes at `at` is, or NONE. */
// @inline
export function wholePiece(at: usize, length: usize): u32 {
  return slots === 0 ? NONE : find(at, length)
}

function find(at: usize, length: usize): u32 {
  let i = slotOf(at, length)
  while (true) {
    const slot = slots + <usize>i * SLOT
    const start = <usize>load<u32>(slot)
    if (start === 0) return NONE
    if (load<u32>(slot, 4) === <u32>length && memory.compare(start, at, length) === 0)
      return load<u32>(slot, 8)
    i = (i + 1) & mask
  }
}
