import { LOW_SURROGATE, MARK, normalKinds, recompose, STARTER } from './recompose.js'

// Brings text into Unicode's normal form C, in parts: cutting a text where a part begins does not change the result.

/** UTF-16 units of the longest part. Cuts a longer row of marks: sorting it costs more than its length. */
const MAX_PART_UNITS = 4096

/** The first byte of U+0300: texts of lower bytes are in normal form C. */
const FIRST_CHANGED = 0xcc

/**
 * All code units but starters of the largest scripts and punctuation: a regular expression is several times as fast as
 * a look-up of each unit's kind.
 */
const RARE =
  // biome-ignore lint/suspicious/noMisleadingCharacterClass: code units are meant
  /[\u0300-\u03ff\u0483-\u0489\u0530-\u200f\u20d0-\u3040\u3097-\u309f\u3100-\u4dff\ua000-\uabff\ud7a4-\uffff]/g

/** Whether the text is in normal form C by its bytes alone, whatever precedes it. */
export function isSurelyNormal(utf8: Uint8Array): boolean {
  for (let i = 0; i < utf8.length; i++) if (utf8[i] >= FIRST_CHANGED) return false
  return true
}

/** A part of a text, in UTF-16 units. */
export interface Part {
  readonly start: number
  readonly end: number
}

/** The first part that may not be in normal form C, from `from` on (a part begins there); undefined: all are. */
export function doubtfulPart(text: string, from: number): Part | undefined {
  RARE.lastIndex = from
  if (!RARE.test(text)) return undefined
  const kinds = normalKinds()
  let last = 0
  for (let i = RARE.lastIndex - 1; i < text.length; i++) {
    const kind = kinds[text.charCodeAt(i)]
    if (kind === STARTER) last = 0
    else if (kind >= MARK && kind >= last) last = kind
    else if (kind !== LOW_SURROGATE) return partAround(text, i, from)
  }
  return undefined
}

/** The part with the unit at `index`; a part begins at `from`. */
function partAround(text: string, index: number, from: number): Part {
  let start = starterBefore(text, index, from)
  let end = partEnd(text, start)
  for (; end <= index; end = partEnd(text, start)) start = end
  return { start, end }
}

function starterBefore(text: string, index: number, from: number): number {
  const kinds = normalKinds()
  let start = index
  while (start > from && kinds[text.charCodeAt(start)] !== STARTER) start--
  return start
}

/** The begin of the last part; the text before it can be normalized although more follows. */
export function lastPart(text: string): number {
  return text === '' ? 0 : partAround(text, text.length - 1, 0).start
}

/** A text in normal form C by the Rust library's tables: U+0301 U+0316 → U+0316 U+0301. */
export function normalForm(text: string): string {
  let part = doubtfulPart(text, 0)
  if (part === undefined) return text
  let normal = ''
  let from = 0
  for (; part !== undefined; part = doubtfulPart(text, from)) {
    normal += text.slice(from, part.start)
    for (const { codePoint } of recompose(text.slice(part.start, part.end)))
      normal += String.fromCodePoint(codePoint)
    from = part.end
  }
  return normal + text.slice(from)
}

function partEnd(text: string, start: number): number {
  const kinds = normalKinds()
  const most = Math.min(text.length, start + MAX_PART_UNITS)
  let end = start + 1
  while (end < most && kinds[text.charCodeAt(end)] !== STARTER) end++
  // Never between the two halves of a surrogate pair.
  return end < text.length && kinds[text.charCodeAt(end)] === LOW_SURROGATE ? end - 1 : end
}
