import { BACKSLASH } from './characters.js'
import { escapedPair, escapedUnit, escapeLength } from './escapes.js'

/**
 * Writes the content of a JSON string, `from` to `to`, to `out` as UTF-8: `a\u00e9` → 61 c3 a9. An escape that
 * begins before `to` is written whole. The string must be well-formed.
 *
 * @returns where reading ended, and the number of bytes written: never more than were read
 */
export function writeUnescaped(
  bytes: Buffer,
  from: number,
  to: number,
  out: Uint8Array,
): { end: number; written: number } {
  let at = from
  let written = 0
  while (at < to) {
    const byte = bytes[at]
    if (byte !== BACKSLASH) {
      out[written++] = byte
      at++
      continue
    }
    const unit = escapedUnit(bytes, at)
    const pair = escapedPair(bytes, at, unit)
    at += pair < 0 ? escapeLength(bytes, at) : 12
    written = writeCharacter(out, written, pair < 0 ? unit : pair)
  }
  return { end: at, written }
}

/** One character as UTF-8; returns where it ends. */
function writeCharacter(out: Uint8Array, at: number, character: number): number {
  if (character < 0x80) {
    out[at] = character
    return at + 1
  }
  if (character < 0x800) {
    out[at] = 0xc0 | (character >> 6)
    out[at + 1] = 0x80 | (character & 0x3f)
    return at + 2
  }
  if (character < 0x10000) {
    out[at] = 0xe0 | (character >> 12)
    out[at + 1] = 0x80 | ((character >> 6) & 0x3f)
    out[at + 2] = 0x80 | (character & 0x3f)
    return at + 3
  }
  out[at] = 0xf0 | (character >> 18)
  out[at + 1] = 0x80 | ((character >> 12) & 0x3f)
  out[at + 2] = 0x80 | ((character >> 6) & 0x3f)
  out[at + 3] = 0x80 | (character & 0x3f)
  return at + 4
}
