import { characterFacts } from '../wordpiece/unicode/character-facts.js'
import { mayCompose } from './normal-kinds.js'

/** A character of a text that is being brought into normal form C. */
export interface Recomposed {
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
