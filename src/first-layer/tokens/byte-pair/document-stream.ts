import type { AddedToken } from '../added-tokens.js'
import { NO_TEMPLATE, type SpecialTemplate } from '../added-tokens.js'
import type { TokenBuffer } from '../token-buffer.js'
import type { TokenStream } from '../tokenizer.js'
import { characterBefore, isContinuation, type Literals, SPACE_BYTES, spaceAt } from './literals.js'
import { WaitingText } from './waiting-text.js'

/** Bytes searched and tokenized in one advance: half a millisecond for ordinary text, a few for the most hostile. */
export const ADVANCE_BYTES = 16_384
/** Effort of the searches of one advance: see `Literals.search`. */
const SEARCH_EFFORT = 4 * ADVANCE_BYTES
/** Bytes of an advance that a literal counts as, beside its own. */
const LITERAL_COST = 16
/** Turns the text between two literals into ids, each text as if it were a document. */
export interface Segments {
  /** Most bytes for `run` in one advance. */
  readonly mostBytes: number
  /**
   * Takes `utf8`, the next bytes of the text, at offset `start` of the document, and appends ids. `isEnd`: the text
   * ends with them.
   * @returns true if work is left that needs no more bytes: call again without bytes and with the same `isEnd`
   */
  run(utf8: Uint8Array, start: number, isEnd: boolean, ids: TokenBuffer): boolean
  /** Forgets the document, which is done. */
  leave(): void
  /** Appends the id of a literal in the bytes `start … end`, or of a token that the template adds. */
  add(id: number, start: number, end: number, ids: TokenBuffer): void
}

/**
 * One document: holds the bytes that its segments have not taken yet, and finds literals in them. The text before a
 * literal ends there.
 *
 *       taken             space        searched
 *     …   │ ordinary text   │ whitespace  │ not searched yet …
 *
 * It holds the whitespace as long as a literal that takes it along may follow.
 */
export class DocumentStream implements TokenStream {
  readonly #text = new WaitingText()
  /** No literal begins before this place. */
  #searched = 0
  /** The token whose literal begins at `#searched`. */
  #match: AddedToken | undefined
  /** Start and characters of the whitespace that ends at `#searched`; only for literals with `stripsBefore`. */
  #space = 0
  #spaceCharacters = 0
  /** The last literal and its place, while the whitespace behind it is skipped. */
  #stripped: { readonly token: AddedToken; readonly start: number } | undefined
  #isBegun = false
  #ended = false
  #done = false
  #hasMore = false

  constructor(
    private readonly segments: Segments,
    private readonly literals: Literals,
    private readonly template: SpecialTemplate = NO_TEMPLATE,
  ) {}

  get heldBytes(): number {
    return this.#text.length - this.#text.taken
  }

  write(utf8: Uint8Array): void {
    this.#text.write(utf8)
  }

  keep(): void {
    this.#text.keep()
  }

  end(): undefined {
    this.#ended = true
  }

  advance(ids: TokenBuffer): boolean {
    if (!this.#isBegun) this.#begin(ids)
    let effort = SEARCH_EFFORT
    for (let budget = this.segments.mostBytes; budget > 0; ) {
      if (this.#done) return false
      if (this.#stripped !== undefined) {
        budget -= this.#skipSpace(budget, ids)
        if (this.#stripped !== undefined || budget <= 0) return budget <= 0
      }
      if (!this.#hasMore && this.#match === undefined) effort = this.#search(effort)
      const { taken } = this.#text
      const limit = this.#limit()
      const count = this.#hasMore ? 0 : Math.min(budget, limit - taken)
      const isEnd = (this.#match !== undefined || this.#isAllSearched) && taken + count === limit
      if (count === 0 && !isEnd && !this.#hasMore) return this.#searched < this.#searchable

      this.#hasMore = this.segments.run(this.#text.take(count), taken, isEnd, ids)
      // Work left on a long piece uses up this call's budget.
      budget -= this.#hasMore ? ADVANCE_BYTES : count + LITERAL_COST
      if (isEnd && !this.#hasMore) this.#finish(ids)
    }
    return !this.#done
  }

  #begin(ids: TokenBuffer): void {
    this.#isBegun = true
    for (const id of this.template.before) this.segments.add(id, 0, 0, ids)
  }

  /** The place from which on a literal, or a longer one at its place, may still lack its end; a character begins there. */
  get #searchable(): number {
    const { bytes, base, length } = this.#text
    if (this.#ended) return length
    const end = length - this.literals.overhang
    if (this.literals.stripsBefore) return base + wholeCharacters(bytes, end - base)
    return base + this.literals.beginningIn(bytes, Math.max(0, end - base), length - base)
  }

  get #isAllSearched(): boolean {
    return this.#ended && this.#searched === this.#text.length
  }

  /** Searches some bytes for a literal. @returns the rest of `effort` */
  #search(effort: number): number {
    const { bytes, base } = this.#text
    const from = this.#searched - base
    const until = Math.min(this.#searchable - base, from + ADVANCE_BYTES)
    if (until <= from) return effort
    const found = this.literals.search(bytes, from, until, effort)
    this.#match = found.token
    let { at } = found
    if (this.literals.stripsBefore) {
      at = wholeCharacters(bytes, at)
      this.#growSpace(bytes, from, at)
    }
    this.#searched = base + at
    return found.effort
  }

  /** Notes the whitespace at the end of `bytes[from … until)`, which may continue that before it. */
  #growSpace(bytes: Buffer, from: number, until: number): void {
    let at = until
    let characters = 0
    while (at > from) {
      const start = characterBefore(bytes, at)
      if (start < from || spaceAt(bytes, start) !== at - start) break
      at = start
      characters++
    }
    if (at > from) {
      this.#space = this.#text.base + at
      this.#spaceCharacters = 0
    }
    this.#spaceCharacters += characters
  }

  get #isSpaceHeld(): boolean {
    return (
      this.literals.stripsBefore && (this.#match === undefined ? !this.#isAllSearched : this.#match.lstrip)
    )
  }

  /** The end of the text that is sure to belong to no literal. */
  #limit(): number {
    return this.#isSpaceHeld ? this.#space : this.#searched
  }

  #finish(ids: TokenBuffer): void {
    const token = this.#match
    if (token === undefined) {
      for (const id of this.template.after) this.segments.add(id, 0, 0, ids)
      this.#done = true
      this.segments.leave()
      return
    }
    const start = this.#text.taken
    const size = this.#searched - start + Buffer.byteLength(token.content)
    this.#text.take(size)
    ids.characters += charactersOf(token.content)
    if (token.lstrip) ids.characters += this.#spaceCharacters
    this.#match = undefined
    this.#restart()
    if (token.rstrip) this.#stripped = { token, start }
    else this.segments.add(token.id, start, this.#text.taken, ids)
  }

  /** Continues the search with the text that is not taken. */
  #restart(): void {
    this.#searched = this.#space = this.#text.taken
    this.#spaceCharacters = 0
  }

  /** Skips about `most` bytes of the whitespace behind a literal. @returns the number of skipped bytes */
  #skipSpace(most: number, ids: TokenBuffer): number {
    const { bytes, base, taken, length } = this.#text
    const first = taken - base
    const end = length - base
    let at = first
    let isOver = false
    while (at < end && at - first < most) {
      const lead = bytes[at]
      if (end - at < (lead < 0x80 ? 1 : lead < 0xe0 ? 2 : SPACE_BYTES) && !this.#ended) break
      const size = spaceAt(bytes, at)
      isOver = size === 0
      if (isOver) break
      at += size
      ids.characters++
    }
    this.#text.take(at - first)
    if (!isOver && !(this.#ended && at === end)) return at - first
    const { token, start } = this.#stripped!
    this.#stripped = undefined
    this.#restart()
    this.segments.add(token.id, start, this.#text.taken, ids)
    return at - first
  }
}

/** The last place up to `end` where a character of the text begins or ends. */
function wholeCharacters(text: Buffer, end: number): number {
  let at = end
  while (at > 0 && at < text.length && isContinuation(text[at])) at--
  return at
}

function charactersOf(text: string): number {
  let characters = 0
  for (const _ of text) characters++
  return characters
}
