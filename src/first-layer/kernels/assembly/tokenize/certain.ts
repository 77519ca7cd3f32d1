// Characters of three bytes of which two, or all three, always merge, whatever the text around them: most
// characters of Chinese, Japanese and Korean. Merging begins with these tokens instead of with bytes.
//
// Two neighbours are certain to merge if their token has a lower rank than every token that joins either of them
// to something on its other side. This merge can then be done first, with the same result: merges of lower rank
// touch neither neighbour, and merges that use the new token have a higher rank (ids follow the order of
// formation).
import { reserve } from '../own-memory'
import { byteId, halves, lengthOf, mergedId, size } from './tables'

/** Which bytes of a character are certain to merge: none (0), the last two, the first two, or all three. */
export const LAST_TWO: u32 = 1
export const FIRST_TWO: u32 = 2
export const WHOLE: u32 = 3
/** Four bits for each of these values: at which bytes of the character a token starts. */
export const STARTS_OF: u32 = 0x1537

/** For each code point of three bytes: `token << 2 | which bytes`. */
let forms: usize = 0

/** Whether enough characters merge wholly for this to pay; in gpt2 it costs more than it saves. */
export let useful: bool = false
const ENOUGH: u32 = 400

/** The lowest token whose left half is a byte of 80 … BF, by that byte and the right half's first, also 80 … BF. */
const INSIDE: usize = memory.data(64 * 64 * 4, 16)
/** The lowest token whose left half is a byte, by that byte, if its right half begins with a byte outside 80 … BF. */
const BEHIND: usize = memory.data(256 * 4, 16)

/** The lowest token whose right half is a byte of 80 … BF, by the left half's last byte, E0 … EF, and that byte. */
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

/** The first code point that has a form, and the first beyond them. */
export const FIRST_FORM: u32 = 0x800
export const FORMS_END: u32 = 0x10000

let wholes: u32 = 0

/**
 * Begins to fill `forms`, when all other tables are built; `scratch` has room for a uint32 per token. Call next
 * `certainOfTokens` for all tokens, `certainOfCharacters` from FIRST_FORM to FORMS_END, and `endCertain`.
 */
export function beginCertain(scratch: usize): void {
  forms = reserve(65536 * 4)
  memory.fill(INSIDE, 0xff, 64 * 64 * 4)
  memory.fill(BEHIND, 0xff, 256 * 4)
  memory.fill(AFTER_LEAD, 0xff, 16 * 64 * 4)
  // For each right half: the lowest token whose left half ends with a byte that is not ASCII.
  memory.fill(scratch, 0xff, (<usize>size) << 2)
}

export function certainOfTokens(
  from: u32,
  until: u32,
  tokenBytes: usize,
  tokenStarts: usize,
  scratch: usize,
): void {
  for (let id = from; id < until; id++) {
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
}

export function certainOfCharacters(from: u32, until: u32, scratch: usize): void {
  for (let codePoint = from; codePoint < until; codePoint++) {
    const form = formOf(codePoint, scratch)
    store<u32>(forms + (codePoint << 2), form)
    if ((form & 3) === WHOLE) wholes++
  }
}

export function endCertain(): void {
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

/** The form of the character of three bytes at `at`, which begins its piece or follows a byte that is not ASCII. */
// @inline
export function certainForm(at: usize): u32 {
  const last = ((<u32>load<u8>(at + 1) & 0x3f) << 6) | (<u32>load<u8>(at + 2) & 0x3f)
  return load<u32>(forms + ((<usize>(((<u32>load<u8>(at) & 0x0f) << 12) | last)) << 2))
}
