import { characterFacts } from '../wordpiece/unicode/character-facts.js'

// Brings text into Unicode's normal form C by the Rust library's tables, not those of this Node's Unicode version.

/** Code units that may belong to a part that changes: all but those of the largest scripts and punctuation. */
const RARE =
  // biome-ignore lint/suspicious/noMisleadingCharacterClass: code units are meant
  /[\u0300-\u03ff\u0483-\u0489\u0530-\u200f\u20d0-\u2fff\u302a-\u302f\u3097-\u309f\u3100-\u4dff\ua000-\uabff\ud7a4-\ufe2f]/g

/**
 * Whether the text is in normal form C. Node's newer Unicode tells: what the library's version does not know, it does not
 * change, and what both know is equal in both.
 */
export const isNormal = (text: string) => text.search(RARE) < 0 || text.normalize('NFC') === text

/** UTF-16 units of the longest part. Cuts a longer row of marks: sorting it costs more than its length. */
const MAX_PART_UNITS = 4096

/** Whether the text before and behind a place can be normalized apart: neither moves or composes across it. */
function isBoundary(text: string, at: number): boolean {
  if ((text.charCodeAt(at) & 0xfc00) === 0xdc00) return false // half a surrogate pair
  const facts = characterFacts()
  const [first] = facts.decompositionOf(text.codePointAt(at)!)
  return facts.combiningOrderOf(first) === 0 && !facts.mayCompose(first)
}

/** The last place where the text, which begins at one, can be cut although more follows: what is before it can be normalized. */
export function lastBoundary(text: string): number {
  let at = text.length - 1
  while (at > 0 && !isBoundary(text, at)) at--
  return at <= 0 && text.length > MAX_PART_UNITS ? partEnd(text, 0) : Math.max(0, at)
}

/** The end of the part that begins at a boundary. */
function partEnd(text: string, start: number): number {
  const most = Math.min(text.length, start + MAX_PART_UNITS)
  let end = start + 1
  while (end < most && !isBoundary(text, end)) end++
  return (text.charCodeAt(end) & 0xfc00) === 0xdc00 ? end - 1 : end // never half a surrogate pair
}

/** A part of a text, in UTF-16 units, and its characters in normal form C. */
interface ChangedPart {
  readonly start: number
  readonly end: number
  readonly characters: readonly Recomposed[]
}

/** The parts of a text that are not in normal form C. */
export function* changedParts(text: string): Generator<ChangedPart, void, void> {
  for (let from = 0; ; ) {
    RARE.lastIndex = from
    const found = RARE.exec(text)
    if (found === null) return
    let start = found.index
    while (start > from && !isBoundary(text, start)) start--
    let end = partEnd(text, start)
    for (; end <= found.index; end = partEnd(text, start)) start = end
    const part = text.slice(start, end)
    if (!isNormal(part)) yield { start, end, characters: recompose(part) }
    from = end
  }
}

/** U+0301 U+0316 → U+0316 U+0301. */
export function normalForm(text: string): string {
  if (isNormal(text)) return text
  let normal = ''
  let from = 0
  for (const { start, end, characters } of changedParts(text)) {
    normal += text.slice(from, start) + String.fromCodePoint(...characters.map((one) => one.codePoint))
    from = end
  }
  return normal + text.slice(from)
}

/** A character of a text that is being brought into normal form C. */
interface Recomposed {
  codePoint: number
  /** Place of its combining class; 0: a starter. */
  order: number
  /** The number of characters of the original text, in order, that it replaces. 0: it shares the last one with others. */
  takes: number
}

/**
 * A text in normal form C, character by character: decomposes it, sorts rows of marks, and composes again. Gives each
 * original character to the same composed one as the library does. `e` U+0301 → `é`, which takes 2.
 */
function recompose(text: string): Recomposed[] {
  const all: Recomposed[] = []
  let starter: Recomposed | undefined
  /** Order of the last mark since the starter. */
  let last = 0
  for (const part of decompose(text)) {
    const isBlocked = last > 0 && last >= part.order
    const composite = starter === undefined || isBlocked ? undefined : compositeOf(starter.codePoint, part)
    if (starter !== undefined && composite !== undefined) {
      starter.codePoint = composite
      starter.takes += part.takes
      continue
    }
    all.push(part)
    last = part.order
    if (part.order === 0) starter = part
  }
  return all
}

/** Full canonical decomposition in canonical order. Sorted marks keep their `takes`. */
function decompose(text: string): Recomposed[] {
  const facts = characterFacts()
  const all: Recomposed[] = []
  let marks: Recomposed[] = []
  const endRow = () => {
    for (const mark of marks.sort((a, b) => a.order - b.order)) all.push(mark)
    marks = []
  }
  for (const character of text) {
    let takes = 1
    for (const codePoint of facts.decompositionOf(character.codePointAt(0)!)) {
      const order = facts.combiningOrderOf(codePoint)
      if (order === 0) endRow()
      const list = order === 0 ? all : marks
      list.push({ codePoint, order, takes })
      takes = 0
    }
  }
  endRow()
  return all
}

/** The character that a starter and a character behind it compose to; undefined if they stay two. */
function compositeOf(starter: number, { codePoint, order }: Recomposed): number | undefined {
  if (order === 0 && !characterFacts().mayCompose(codePoint)) return undefined
  const both = String.fromCodePoint(starter, codePoint).normalize('NFC')
  const composite = both.codePointAt(0)!
  if (both.length !== (composite > 0xffff ? 2 : 1)) return undefined
  // Skips compositions newer than the library's Unicode version.
  return characterFacts().decompositionOf(composite).length > 1 ? composite : undefined
}
