// Characters of three bytes of which two, or all three, merge whatever stands around them: most of Chinese,
// Japanese and Korean. Merging begins with these tokens instead of with bytes.
//
// Two neighbours are certain to merge where their token has a lower rank than every token that joins either of them to
// something on its other side. It may then be made at once: what it joins next has a higher rank than itself (ids follow
// the order of formation), and all merges of lower rank touch neither half. So by its turn everything is as it would be.
import { reserve } from '../own-memory'
import { byteId, halves, lengthOf, mergedId, size } from './tables'

/** What is certain of a character: nothing (0), or the token of its last two, its first two, or all three bytes. */
export const LAST_TWO: u32 = 1
export const FIRST_TWO: u32 = 2
export const WHOLE: u32 = 3
/** For each of these, four bits: the bytes of the character where a token starts. */
export const STARTS_OF: u32 = 0x1537

/** For each code point of three bytes `token << 2 | what`. */
let forms: usize = 0

/** Whether beginning with these pays: with fewer whole characters, as in gpt2, it costs more than it saves. */
export let useful: bool = false
const ENOUGH: u32 = 400

/** The lowest token that a byte begins as its left half, by the right half's first byte where both are 80 … BF. */
const INSIDE: usize = memory.data(64 * 64 * 4, 16)
/** The same where the right half begins with any other byte. */
const BEHIND: usize = memory.data(256 * 4, 16)

/** The lowest token that a byte of 80 … BF ends as its right half, by the left half's last byte where that is E0 … EF. */
const AFTER_LEAD: usize = memory.data(16 * 64 * 4, 16)

// @inline
function afterLead(lead: u32, byte: u32): usize {
  return AFTER_LEAD + ((<usize>(((lead & 0x0f) << 6) | (byte & 0x3f))) << 2)
}

// @inline
function inside(left: u32, right: u32): usize {
  return INSIDE + ((<usize>(((left & 0x3f) << 6) | (right & 0x3f))) << 2)
}

// @inline
function isTrail(byte: u32): bool {
  return (byte & 0xc0) === 0x80
}

// @inline
function lower(place: usize, id: u32): void {
  if (id < load<u32>(place)) store<u32>(place, id)
}

/** After all other tables; `scratch` has room for a uint32 per token. */
export function findCertain(tokenBytes: usize, tokenStarts: usize, scratch: usize): void {
  forms = reserve(65536 * 4)
  memory.fill(INSIDE, 0xff, 64 * 64 * 4)
  memory.fill(BEHIND, 0xff, 256 * 4)
  memory.fill(AFTER_LEAD, 0xff, 16 * 64 * 4)
  // The lowest token with this right half behind a byte that is not ASCII.
  memory.fill(scratch, 0xff, (<usize>size) << 2)
  for (let id: u32 = 0; id < size; id++) {
    if (lengthOf(id) < 2) continue
    const left = load<u32>(halves + ((<usize>id) << 3))
    const right = load<u32>(halves + ((<usize>id) << 3) + 4)
    const start = tokenBytes + load<u32>(tokenStarts + ((<usize>left) << 2))
    const first = <u32>load<u8>(tokenBytes + load<u32>(tokenStarts + ((<usize>right) << 2)))
    const last = <u32>load<u8>(start + lengthOf(left) - 1)
    if (last >= 0x80) lower(scratch + ((<usize>right) << 2), id)
    if (lengthOf(right) === 1 && isTrail(first) && (last & 0xf0) === 0xe0) lower(afterLead(last, first), id)
    if (lengthOf(left) !== 1) continue
    const byte = <u32>load<u8>(start)
    if (!isTrail(first)) lower(BEHIND + (byte << 2), id)
    else if (isTrail(byte)) lower(inside(byte, first), id)
  }
  let wholes: u32 = 0
  for (let codePoint: u32 = 0x800; codePoint < 0x10000; codePoint++) {
    const form = formOf(codePoint, scratch)
    store<u32>(forms + (codePoint << 2), form)
    if ((form & 3) === WHOLE) wholes++
  }
  useful = wholes >= ENOUGH
}

function formOf(codePoint: u32, before: usize): u32 {
  const leadByte = 0xe0 | (codePoint >> 12)
  const second = 0x80 | ((codePoint >> 6) & 0x3f)
  const third = 0x80 | (codePoint & 0x3f)
  const lead = byteId(leadByte)
  const behind = load<u32>(BEHIND + (third << 2))
  const last = mergedId(byteId(second), byteId(third))
  if (last < load<u32>(afterLead(leadByte, second)) && last < behind) return (last << 2) | LAST_TWO
  const two = mergedId(lead, byteId(second))
  if (two >= load<u32>(before + ((<usize>lead) << 2)) || two >= load<u32>(inside(second, third))) return 0
  const three = mergedId(two, byteId(third))
  return three < load<u32>(before + ((<usize>two) << 2)) && three < behind
    ? (three << 2) | WHOLE
    : (two << 2) | FIRST_TWO
}

/** The form of the character of three bytes at `at`. The byte before it must not be ASCII, or none of the piece. */
// @inline
export function certainForm(at: usize): u32 {
  const last = ((<u32>load<u8>(at + 1) & 0x3f) << 6) | (<u32>load<u8>(at + 2) & 0x3f)
  return load<u32>(forms + ((<usize>(((<u32>load<u8>(at) & 0x0f) << 12) | last)) << 2))
}
