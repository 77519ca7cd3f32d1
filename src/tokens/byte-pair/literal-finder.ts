import type { FoundLiteral, LiteralGroup, Literals } from './literals.js'

/** Bytes of the longest whitespace character. */
const SPACE_BYTES = 3

/** A literal and the byte of the document at which it starts. */
export interface LiteralMatch {
  readonly literal: FoundLiteral
  readonly start: number
}

/** Where the next literal of a group is, in bytes of the document, and how far was searched for it. */
interface Next {
  readonly group: LiteralGroup
  match: LiteralMatch | undefined
  searched: number
}

/**
 * Finds literals in one document that comes in parts: the one that starts first, and of those that start there the
 * longest. With `<|endoftext|>`, `a<|endoftext|>b` → a match that starts at 1.
 *
 * It goes through the text once for each group, however many literals it finds.
 */
export class LiteralFinder {
  /** Bytes at the end of a text that may belong to a literal, or to the whitespace before it, whose rest has not come yet. */
  readonly overhang: number
  readonly #next: readonly Next[]

  constructor(literals: Literals) {
    this.overhang = Math.max(0, literals.longest - 1, literals.stripsBefore ? SPACE_BYTES - 1 : 0)
    this.#next = literals.groups.map((group) => ({ group, match: undefined, searched: 0 }))
  }

  /**
   * The first literal from byte `from` on. One that starts in the overhang of a text that has not ended is not found
   * yet: a longer one may start there.
   *
   * @param text the document's bytes from `base` on, as far as they have come
   */
  find(text: Buffer, base: number, from: number, isEnd: boolean): LiteralMatch | undefined {
    let first: LiteralMatch | undefined
    const until = base + text.length - (isEnd ? 0 : this.overhang)
    for (const next of this.#next) {
      if (next.match === undefined || next.match.start < from) search(next, text, base, from, until)
      if (next.match !== undefined && (first === undefined || next.match.start < first.start))
        first = next.match
    }
    return first
  }
}

/** Looks for the group's first literal that starts in `from … until`. */
function search(next: Next, text: Buffer, base: number, from: number, until: number): void {
  const { beginning, lengths, byBytes } = next.group
  next.match = undefined
  for (let start = Math.max(from, next.searched); start < until; start++) {
    start = base + text.indexOf(beginning, start - base)
    if (start < base || start >= until) break
    for (const length of lengths) {
      const literal = byBytes.get(text.toString('latin1', start - base, start - base + length))
      if (literal === undefined) continue
      next.match = { literal, start }
      next.searched = start
      return
    }
  }
  next.searched = Math.max(next.searched, until)
}
