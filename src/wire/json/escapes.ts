import { BACKSLASH } from './characters.js'
import { invalidJson } from './invalid-json.js'

const LETTER_U = 0x75

/** What the byte after a backslash stands for; 0 where it may not follow one. */
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
