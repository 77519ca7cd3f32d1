import { characterFacts } from '../wordpiece/unicode/character-facts.js'

// Brings text into Unicode's normal form C, in parts: each part begins with a character before which a text may be cut
// without changing the result.

/** The first byte of U+0300: texts of bytes below it are in normal form C already. */
const FIRST_CHANGED = 0xcc

/** Whether text of these bytes is sure to be in normal form C, whatever stands before and behind it. */
export function isSurelyNormal(utf8: Uint8Array): boolean {
  for (let i = 0; i < utf8.length; i++) if (utf8[i]! >= FIRST_CHANGED) return false
  return true
}

/**
 * First and last code units of ranges of starters: characters that are their own normal form, and that neither compose
 * with one before nor are moved before one. Letters of the large scripts, punctuation, symbols, emoji (as surrogates).
 */
const STARTERS = [
  [0x0000, 0x02ff],
  [0x0388, 0x03ff],
  [0x0400, 0x0482],
  [0x048a, 0x052f],
  [0x05d0, 0x05ea],
  [0x0620, 0x064a],
  [0x0904, 0x0939],
  [0x0e01, 0x0e30],
  [0x1e00, 0x1f6f],
  [0x2002, 0x20cf],
  [0x2190, 0x2328],
  [0x232b, 0x2adb],
  [0x3000, 0x3029],
  [0x3041, 0x3096],
  [0x30a0, 0x30ff],
  [0x4e00, 0x9fff],
  [0xac00, 0xd7a3],
  [0xd83c, 0xd83e],
  [0xff00, 0xffef],
] as const

const STARTER = 1
/** The second half of a surrogate pair: the first decides. */
const LOW_SURROGATE = 2

/** What each code unit is; 0: neither. */
const kinds = new Uint8Array(0x10000)
for (const [first, last] of STARTERS) kinds.fill(STARTER, first, last + 1)
kinds.fill(LOW_SURROGATE, 0xdc00, 0xe000)

/** Whether a text is sure to be in normal form C: it has no other characters than starters. */
export function isOnlyStarters(text: string): boolean {
  for (let i = 0; i < text.length; i++) if (kinds[text.charCodeAt(i)] === 0) return false
  return true
}

function isStarter(text: string, index: number): boolean {
  return kinds[text.charCodeAt(index)] === STARTER
}

/** Where the last part begins: the text before may be normalized although more follows. 0: nowhere but at the start. */
export function lastPart(text: string): number {
  for (let i = text.length - 1; i > 0; i--) if (isStarter(text, i)) return i
  return 0
}

/** A text's parts, each from one starter to before the next. */
export function parts(text: string): string[] {
  const all: string[] = []
  let start = 0
  for (let i = 1; i < text.length; i++) {
    if (!isStarter(text, i)) continue
    all.push(text.slice(start, i))
    start = i
  }
  all.push(text.slice(start))
  return all
}

/**
 * A text in normal form C, as the Rust library makes it: marks that are younger than its tables do not move, whatever
 * this Node knows of them. U+08CB U+0338 stays as it is, U+0301 U+0316 becomes U+0316 U+0301.
 */
export function normalForm(text: string): string {
  const normal = text.normalize('NFC')
  if (normal === text) return text
  let out = ''
  let start = 0
  for (let i = 0; i < text.length; ) {
    const codePoint = text.codePointAt(i)!
    const length = codePoint > 0xffff ? 2 : 1
    if (codePoint >= FIRST_YOUNG && isYoungMark(codePoint)) {
      out += text.slice(start, i).normalize('NFC') + text.slice(i, i + length)
      start = i + length
    }
    i += length
  }
  return start === 0 ? normal : out + text.slice(start).normalize('NFC')
}

/** Below it all characters are older than the tables. */
const FIRST_YOUNG = 0x0800
/** A mark of the first combining class: every other one moves behind it. */
const OVERLAY = '\u0338'

/** Whether this Node moves a mark of which the library's tables do not know that it is one. */
function isYoungMark(codePoint: number): boolean {
  const mark = String.fromCodePoint(codePoint)
  return (
    (mark + OVERLAY).normalize('NFC') === OVERLAY + mark && characterFacts().combiningOrderOf(codePoint) === 0
  )
}
