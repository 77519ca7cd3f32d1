import { PAUSE, type Steps } from '../../first-layer/steps.js'
import { BACKSLASH } from './characters.js'
import { invalidJson } from './invalid-json.js'
import { contentEnd, FEW_BYTES } from './string-content.js'

/** Bytes counted in one step. */
const COUNTED_BYTES = 65_536

const LETTER_U = 0x75

/** Maps the byte after a backslash to its character; 0 where it may not follow one. */
const SHORT = new Uint8Array(256)
for (const [letter, meant] of ['""', '\\\\', '//', 'b\b', 'f\f', 'n\n', 'r\r', 't\t']) {
  SHORT[letter.charCodeAt(0)] = meant.charCodeAt(0)
}

/** UTF-16 unit that the escape at `at` stands for: `\n` → 0x0A, `\ud83d` → 0xD83D. @throws InletError `invalid_json` */
export function escapedUnit(bytes: Buffer, at: number): number {
  const letter = bytes[at + 1]
  if (letter !== LETTER_U) {
    const unit = SHORT[letter]
    if (!unit) throw invalidJson(bytes, at + 1)
    return unit
  }
  let unit = 0
  for (let i = at + 2; i < at + 6; i++) {
    const digit = hexDigit(bytes[i])
    if (digit < 0) throw invalidJson(bytes, i)
    unit = unit * 16 + digit
  }
  return unit
}

/** Bytes of the escape at `at`: of `\n` 2, of `\u000a` 6. */
export function escapeLength(bytes: Buffer, at: number): 2 | 6 {
  return bytes[at + 1] === LETTER_U ? 6 : 2
}

/** Whether a UTF-16 unit is one half of a pair. */
export function isSurrogate(unit: number): boolean {
  return (unit & 0xf800) === 0xd800
}

/**
 * The character that `unit`, escaped at `at`, and the escape behind it form together: `\ud83d\ude00` → 0x1F600.
 * −1 where the two form no pair.
 */
export function escapedPair(bytes: Buffer, at: number, unit: number): number {
  if ((unit & 0xfc00) !== 0xd800 || bytes[at + 6] !== BACKSLASH || bytes[at + 7] !== LETTER_U) return -1
  const low = escapedUnit(bytes, at + 6)
  return (low & 0xfc00) === 0xdc00 ? 0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00) : -1
}

function hexDigit(byte: number | undefined): number {
  if (byte === undefined) return -1
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30
  const letter = byte | 0x20
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1
}

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
  const take = (utf8: Uint8Array) => {
    out.set(utf8, written)
    written += utf8.length
  }
  let few = to - from > FEW_BYTES ? from : to // up to there byte by byte
  while (at < to) {
    if (at >= few) {
      at = contentEnd(bytes, at, to, take)
      few = Math.min(at + FEW_BYTES, to)
    }
    while (at < few && bytes[at] !== BACKSLASH) out[written++] = bytes[at++]!
    if (at >= few) continue
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

/** Counts the UTF-16 units of a JSON string's content, `from` to `to`: `a\u00e9🕶` → 4. */
export function* utf16Units(bytes: Buffer, from: number, to: number): Steps<number> {
  let units = 0
  for (let at = from; at < to; ) {
    yield PAUSE
    const stop = Math.min(at + COUNTED_BYTES, to)
    while (at < stop) {
      const byte = bytes[at]
      if (byte >= 0xf0) units += 2
      else if ((byte & 0xc0) !== 0x80) units++ // continuation bytes do not count
      at += byte === BACKSLASH ? escapeLength(bytes, at) : 1
    }
  }
  return units
}
