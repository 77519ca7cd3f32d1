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
 * Code units of characters that neither compose with one before nor are moved before one, first and last of each range:
 * Latin, Cyrillic, Hiragana, Katakana, Han and Hangul without marks and without parts of syllables.
 */
const STARTERS = [
  0, 0x2ff, 0x400, 0x482, 0x48a, 0x52f, 0x3041, 0x3096, 0x30a1, 0x30fa, 0x4e00, 0x9fff, 0xac00, 0xd7a3,
]

function isStarter(text: string, index: number): boolean {
  const unit = text.charCodeAt(index)
  for (let i = 0; i < STARTERS.length; i += 2)
    if (unit >= STARTERS[i]! && unit <= STARTERS[i + 1]!) return true
  return false
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
