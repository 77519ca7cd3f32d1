// Indents (a newline and blanks) in vocabularies where no two of their bytes merge, as in gpt2: each byte is one
// id, and no merging is needed. A slot of the piece table cannot hold so many ids.
import { byteId, mergedId, NONE } from './tables'

const NEWLINE: i8 = 0x0a
const BLANK: i8 = 0x20
const BOTH: u16 = 0x200a

let loose: bool = false
let newlineId: u32 = 0
let blankId: u32 = 0

/** Notes whether the vocabulary's indents are of this kind. Call it when the tables are built. */
export function lookAtIndents(): void {
  newlineId = byteId(NEWLINE)
  blankId = byteId(BLANK)
  loose = mergedId(newlineId, blankId) === NONE && mergedId(blankId, blankId) === NONE
}

/** Whether `writeIndent` can encode the piece. Reads up to 16 bytes beyond. */
export function isLooseIndent(at: usize, length: usize): bool {
  if (!loose || load<u16>(at) !== BOTH) return false
  for (let i: usize = 1; i < length; i += 16) {
    const blanks = <u32>i8x16.bitmask(i8x16.eq(v128.load(at + i), i8x16.splat(BLANK)))
    if (i + <usize>ctz(~blanks) < min(length, i + 16)) return false
  }
  return true
}

/** Writes the ids of an indent of `length` bytes to `out`; returns where they end. Touches 12 bytes beyond. */
export function writeIndent(length: usize, out: usize): usize {
  store<u32>(out, newlineId)
  for (let i: usize = 1; i < length; i += 4) v128.store(out + (i << 2), i32x4.splat(blankId))
  return out + (length << 2)
}
