import type { AddedToken } from '../added-token.js'
import { NO_TEMPLATE, type SpecialTemplate } from '../special-template.js'
import type { TokenBuffer } from '../token-buffer.js'
import type { TokenStream } from '../token-stream.js'
import type { Literals } from './literals.js'
import { WaitingText } from './waiting-text.js'
import { characterBefore, isContinuation, spaceAt } from './white-space.js'

/**
 * Bytes tokenized in one advance: half a millisecond for ordinary text, a few milliseconds for the most hostile. So many
 * are searched at a time, too.
 */
export const ADVANCE_BYTES = 16_384
/** Effort of the searches of one advance: see `Literals.search`. */
const SEARCH_EFFORT = 4 * ADVANCE_BYTES
/** What a literal takes of an advance, beside its bytes. */
const LITERAL_COST = 16
/** Bytes of the longest whitespace character. */
const SPACE_BYTES = 3

/** Turns the text between two literals into ids. Each text is one by itself, as if it were a document. */
export interface Segments {
  /** Bytes to be given in one advance. */
  readonly mostBytes: number
  /**
   * Appends the ids that `utf8` brings, the next bytes of the text, which stand in the document from `start` on;
   * `isEnd`: the text ends with them.
   * @returns true where work is left that needs no more bytes: call again without bytes and with the same `isEnd`
   */
  run(utf8: Uint8Array, start: number, isEnd: boolean, ids: TokenBuffer): boolean
  /** Called when the document is done. */
  leave(): void
  /** Appends the id of a literal that stands in the bytes `start … end`, or of a token that is added around the text. */
  add(id: number, start: number, end: number, ids: TokenBuffer): void
}

/**
 * One document: holds the bytes that its segments have not got yet, and finds literals in them. The text before a
 * literal ends there.
 *
 *       taken             space        searched
 *     …   │ ordinary text   │ whitespace  │ not searched yet …
 *
 * The whitespace is held where a literal that takes it along may follow.
 */
export class DocumentStream implements TokenStream {
  readonly #text = new WaitingText()
  /** Up to here no literal begins. */
  #searched = 0
  /** The token whose literal begins at `#searched`. */
  #match: AddedToken | undefined
  /** Where the whitespace begins that ends at `#searched`, and its characters; of use with `stripsBefore` alone. */
  #space = 0
  #spaceCharacters = 0
  /** The literal found last and where it begins, while the whitespace behind it is skipped. */
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

  end(): void {
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
      // Work is left on a long piece: that uses up this call's budget.
      budget -= this.#hasMore ? ADVANCE_BYTES : count + LITERAL_COST
      if (isEnd && !this.#hasMore) this.#finish(ids)
    }
    return !this.#done
  }

  #begin(ids: TokenBuffer): void {
    this.#isBegun = true
    for (const id of this.template.before) this.segments.add(id, 0, 0, ids)
  }

  /** Where a character begins from which on a literal may lack its end, or a longer one may begin at its place. */
  get #searchable(): number {
    const { bytes, base, length } = this.#text
    if (this.#ended) return length
    const end = length - this.literals.overhang
    return this.literals.stripsBefore ? base + wholeCharacters(bytes, end - base) : end
  }

  get #isAllSearched(): boolean {
    return this.#ended && this.#searched === this.#text.length
  }

  /** Searches some bytes for a literal. @returns what is left of `effort` */
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

  /** Notes the whitespace at the end of `bytes[from … until)`, which may go on that before it. */
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

  /** Where the text ends that surely belongs to no literal. */
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

  /** The search goes on with the text that is not taken. */
  #restart(): void {
    this.#searched = this.#space = this.#text.taken
    this.#spaceCharacters = 0
  }

  /** Skips about `most` bytes of the whitespace behind a literal. @returns how many were skipped */
  #skipSpace(most: number, ids: TokenBuffer): number {
    const { bytes, base, taken, length } = this.#text
    const first = taken - base
    const end = length - base
    let at = first
    let isOver = false
    while (at < end && at - first < most) {
      const lead = bytes[at]!
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
  while (at > 0 && at < text.length && isContinuation(text[at]!)) at--
  return at
}

function charactersOf(text: string): number {
  let characters = 0
  for (const _ of text) characters++
  return characters
}
