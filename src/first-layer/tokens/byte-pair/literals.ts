import type { AddedToken } from '../added-token.js'
import { AddedTokenFinder } from '../added-token-finder.js'
import { isContinuation, SPACE_BYTES } from './white-space.js'

/** The place up to which a text was searched, and the token whose literal begins there; undefined: none was found. */
export interface Found {
  readonly at: number
  readonly token: AddedToken | undefined
  /** The rest of the effort. */
  readonly effort: number
}

/** Finds the literals of a document's added tokens: the first one, and the longest of several at one place. */
export class Literals {
  /** Bytes at the end of a text that may be the beginning of a literal, or of the whitespace before it. */
  readonly overhang: number
  readonly stripsBefore: boolean
  readonly #finder: AddedTokenFinder
  /** The common beginning of the literals with the same first character, for each such character. */
  readonly #beginnings: readonly string[]
  /** The first byte of all literals; undefined if they differ. */
  readonly #only: number | undefined

  constructor(tokens: readonly AddedToken[]) {
    this.#finder = new AddedTokenFinder(tokens, (content) => Buffer.from(content))
    this.#beginnings = beginningsOf(tokens)
    const firstBytes = new Set(tokens.map(({ content }) => Buffer.from(content)[0]!))
    this.#only = firstBytes.size === 1 ? [...firstBytes][0] : undefined
    this.stripsBefore = this.#finder.hasLstrip
    this.overhang = Math.max(0, this.#finder.longest - 1, this.stripsBefore ? SPACE_BYTES : 0)
  }

  /** Whether the text holds the beginning of a literal. */
  mayBeIn(text: string): boolean {
    for (const beginning of this.#beginnings) if (text.includes(beginning)) return true
    return false
  }

  /** The first place from `from` on, before `end`, where a literal may begin; `end`: there is none. */
  beginningIn(text: Buffer, from: number, end: number): number {
    if (this.#beginnings.length === 0) return end
    return Math.min(end, this.#nextBeginning(text.subarray(0, end), from))
  }

  /**
   * Searches `text[from … until)` for the first place where a literal begins. With `<|endoftext|>`, `a<|endoftext|>b` →
   * a token at 1.
   *
   * @param effort bytes to read before the search stops; each place at which a literal may begin counts as many as the
   *   longest literal
   */
  search(text: Buffer, from: number, until: number, effort: number): Found {
    if (this.#beginnings.length === 0) return { at: until, token: undefined, effort }
    const finder = this.#finder
    const searched = text.subarray(0, until)
    let left = effort
    let at = from
    while (at < until && left > 0) {
      const next = this.#nextBeginning(searched, at)
      left -= next - at
      at = next
      if (at === until) break
      const token = finder.findAt(text, at, text.length)?.token
      left -= finder.longest
      if (token !== undefined) return { at, token, effort: left }
      // Literals begin where characters do.
      do at++
      while (at < until && isContinuation(text[at]!))
    }
    return { at, token: undefined, effort: left }
  }

  #nextBeginning(text: Buffer, from: number): number {
    if (this.#only !== undefined) {
      const at = text.indexOf(this.#only, from)
      return at < 0 ? text.length : at
    }
    let at = from
    while (at < text.length && !this.#finder.mayBeginWith(text[at]!)) at++
    return at
  }
}

/** The common beginnings by first character: `<|a|>`, `<|b|>`, `  ` → `<|`, `  `. */
function beginningsOf(tokens: readonly AddedToken[]): string[] {
  const byFirst = new Map<string, string[]>()
  for (const { content } of tokens) {
    const characters = [...content]
    const shared = byFirst.get(characters[0]!) ?? characters
    let length = 0
    while (length < shared.length && shared[length] === characters[length]) length++
    byFirst.set(characters[0]!, shared.slice(0, length))
  }
  return [...byFirst.values()].map((characters) => characters.join(''))
}
