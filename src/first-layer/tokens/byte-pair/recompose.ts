import { characterFacts } from '../wordpiece/unicode/character-facts.js'

/** A character of a text that is being brought into normal form C. */
interface Recomposed {
  codePoint: number
  /** Place of its combining class; 0: a starter. */
  order: number
  /** The number of characters of the original text, in order, that it replaces. 0: it shares the last one with others. */
  takes: number
}

/**
 * A text in normal form C, character by character: decomposes it, sorts rows of marks, and composes again. Uses the Rust
 * library's tables, not those of this Node's Unicode version, and gives each original character to the same composed one
 * as the library does. `e` U+0301 → `é`, which takes 2.
 */
export function recompose(text: string): Recomposed[] {
  return compose(decompose(text))
}

/** Full canonical decomposition in canonical order. Sorted marks keep their `takes`. */
function decompose(text: string): Recomposed[] {
  const facts = characterFacts()
  const all: Recomposed[] = []
  let marks: Recomposed[] = []
  const endRow = () => {
    if (marks.length > 1) marks.sort((a, b) => a.order - b.order)
    for (const mark of marks) all.push(mark)
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

function compose(parts: readonly Recomposed[]): Recomposed[] {
  const all: Recomposed[] = []
  let starter: Recomposed | undefined
  /** Order of the last mark since the starter. */
  let last = 0
  for (const part of parts) {
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

/** The character that a starter and a character behind it compose to; undefined if they stay two. */
function compositeOf(starter: number, { codePoint, order }: Recomposed): number | undefined {
  if (order === 0 && !mayCompose(codePoint)) return undefined
  const both = String.fromCodePoint(starter, codePoint).normalize('NFC')
  const composite = both.codePointAt(0)!
  if (both.length !== (composite > 0xffff ? 2 : 1)) return undefined
  // Skips compositions newer than the library's Unicode version.
  return characterFacts().decompositionOf(composite).length > 1 ? composite : undefined
}

// The kind of each UTF-16 code unit under normal form C, from the Rust library's tables. Kind 0: the character changes, or
// may compose with the one before.

/** A character that does not change; the text before it has the same normal form whatever follows. */
export const STARTER = 1
/** The second half of a surrogate pair, whose kind is that of the first. */
export const LOW_SURROGATE = 2
/** MARK + its order: a mark that composes with nothing. Marks are in canonical order if this number never falls. */
export const MARK = 3

/**
 * Ranges of code units: starters that decompose and compose again (`é`, Hangul), and surrogates of which all characters
 * are starters (emoji, ideographs, mathematical letters).
 */
const COMPOSED = [
  [0x0000, 0x02ff],
  [0x0388, 0x03ff],
  [0x0400, 0x0482],
  [0x048a, 0x052f],
  [0x0620, 0x064a],
  [0x0904, 0x0939],
  [0x1e00, 0x1f6f],
  [0x3041, 0x3096],
  [0x30a0, 0x30ff],
  [0xac00, 0xd7a3],
  [0xd835, 0xd835],
  [0xd83c, 0xd83e],
  [0xd840, 0xd87d],
] as const

/** Vowels and tails of Hangul, which compose with the character before. */
const JAMOS = [
  [0x1161, 0x1175],
  [0x11a8, 0x11c2],
] as const

/** The range of composing scripts beyond U+FFFF. */
const FAR_SCRIPTS = [0x11000, 0x17000] as const

const FIRST_DOUBTFUL = 0x0300
/** The first character that decomposes, `À`; the ogonek of `ą` is in no later one. */
const FIRST_COMPOSED = 0x00c0

let kinds: Uint8Array | undefined
/** Code units that are a later part of a decomposition. */
const seconds = new Set<number>()

/** The kind of each code unit; made at first use, which takes some milliseconds. */
export function normalKinds(): Uint8Array {
  kinds ??= makeKinds()
  return kinds
}

/** Whether a starter may compose with the character before it. Call {@link normalKinds} first. */
export function mayCompose(codePoint: number): boolean {
  return seconds.has(codePoint) || (codePoint >= FAR_SCRIPTS[0] && codePoint < FAR_SCRIPTS[1])
}

function makeKinds(): Uint8Array {
  const facts = characterFacts()
  const made = new Uint8Array(0x10000)
  const changed = new Set<number>()
  for (let unit = FIRST_COMPOSED; unit < 0x10000; unit++) {
    if (unit === 0xac00) unit = 0xe000 // Hangul and surrogates
    const parts = facts.decompositionOf(unit)
    if (parts.length > 1 || parts[0] !== unit) changed.add(unit)
    for (let i = 1; i < parts.length; i++) seconds.add(parts[i])
  }
  for (const [first, last] of JAMOS) for (let unit = first; unit <= last; unit++) seconds.add(unit)
  for (let unit = FIRST_DOUBTFUL; unit < 0x10000; unit++) {
    if (unit === 0xac00) unit = 0xe000
    if (changed.has(unit) || seconds.has(unit)) continue
    const order = facts.combiningOrderOf(unit)
    made[unit] = order === 0 ? STARTER : MARK + order
  }
  for (const [first, last] of COMPOSED) made.fill(STARTER, first, last + 1)
  return made.fill(LOW_SURROGATE, 0xdc00, 0xe000)
}
