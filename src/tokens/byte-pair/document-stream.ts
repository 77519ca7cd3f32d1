import type { TokenBuffer } from '../token-buffer.js'
import type { TokenStream } from '../token-stream.js'
import { LiteralFinder, type LiteralMatch } from './literal-finder.js'
import type { Literals } from './literals.js'
import { WaitingText } from './waiting-text.js'
import { characterBefore, spaceAt } from './white-space.js'

/**
 * Bytes tokenized in one advance: half a millisecond for ordinary text, a few milliseconds for the most hostile.
 */
const ADVANCE_BYTES = 16_384
/** Bytes of the longest whitespace character. */
const SPACE_BYTES = 3

/** Turns the text between two literals into ids. Each text is one by itself, as if it were a document. */
export interface Segments {
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

/** Ids that stand before and behind a document. */
export interface Around {
  readonly before: readonly number[]
  readonly behind: readonly number[]
}

const NOTHING: Around = { before: [], behind: [] }

/**
 * One document: holds the bytes that its segments have not got yet, and finds literals in them. The text before a
 * literal ends there.
 */
export class DocumentStream implements TokenStream {
  readonly #text = new WaitingText()
  readonly #finder: LiteralFinder
  /** Where the text that is not taken yet is known to be searched. */
  #match: LiteralMatch | undefined
  #from = 0
  /** The literal found last, while the whitespace behind it is skipped. */
  #stripped: LiteralMatch | undefined
  /** The text from `start` to `end` is whitespace. */
  #space = { start: 0, end: 0 }
  #isBegun = false
  #ended = false
  #done = false
  #hasMore = false

  constructor(
    private readonly segments: Segments,
    private readonly literals: Literals,
    private readonly around: Around = NOTHING,
  ) {
    this.#finder = new LiteralFinder(literals)
  }

  write(utf8: Uint8Array): void {
    this.#text.write(utf8)
  }

  end(): void {
    this.#ended = true
  }

  advance(ids: TokenBuffer): boolean {
    if (!this.#isBegun) this.#begin(ids)
    for (let budget = ADVANCE_BYTES; budget > 0; ) {
      if (this.#done) return false
      if (this.#stripped !== undefined && !this.#skipSpace(this.#stripped, ids)) return false
      if (!this.#hasMore) this.#search()
      const { taken } = this.#text
      const limit = this.#limit()
      const count = this.#hasMore ? 0 : Math.max(0, Math.min(budget, limit - taken))
      const isEnd = (this.#match !== undefined || this.#ended) && taken + count === limit
      if (count === 0 && !isEnd && !this.#hasMore) return false

      this.#hasMore = this.segments.run(this.#text.take(count), taken, isEnd, ids)
      // Work is left on a long piece: that uses up this call's budget.
      budget -= this.#hasMore ? ADVANCE_BYTES : count + 16
      if (isEnd && !this.#hasMore) this.#finish(ids)
    }
    return !this.#done
  }

  #begin(ids: TokenBuffer): void {
    this.#isBegun = true
    for (const id of this.around.before) this.segments.add(id, 0, 0, ids)
  }

  #search(): void {
    if (this.#match !== undefined) return
    const { bytes, base } = this.#text
    this.#match = this.#finder.find(bytes, base, this.#from, this.#ended)
  }

  /** Where the text ends that surely belongs to no literal. */
  #limit(): number {
    const match = this.#match
    if (match !== undefined) return match.literal.stripsBefore ? this.#spaceBefore(match.start) : match.start
    const { length } = this.#text
    if (this.#ended) return length
    const end = length - this.#finder.overhang
    if (!this.literals.stripsBefore) return end
    // The last character may be whitespace of which the rest has not come.
    return this.#spaceBefore(end, SPACE_BYTES - 1)
  }

  /** Where the whitespace begins that ends at byte `end`, or, if it ends within `loose` bytes before `end`, there. */
  #spaceBefore(end: number, loose = 0): number {
    const { bytes, base, taken } = this.#text
    if (end <= taken) return taken
    let at = end
    if (loose > 0) {
      // Back to the start of a character that may be cut by `end`.
      while (at > taken && at > end - loose - 1 && ((bytes[at - base] ?? 0) & 0xc0) === 0x80) at--
    }
    const until = at
    while (at > taken) {
      if (at === this.#space.end) {
        at = Math.max(taken, this.#space.start)
        break
      }
      const start = base + characterBefore(bytes, at - base)
      if (start < taken || spaceAt(bytes, start - base) !== at - start) break
      at = start
    }
    this.#space = { start: at, end: until }
    return at
  }

  #finish(ids: TokenBuffer): void {
    const match = this.#match
    if (match === undefined) {
      for (const id of this.around.behind) this.segments.add(id, 0, 0, ids)
      this.#done = true
      this.segments.leave()
      return
    }
    const { literal, start } = match
    const stripped = start - this.#text.taken
    this.#text.take(stripped + literal.bytes.length)
    this.#from = this.#text.taken
    this.#match = undefined
    ids.characters += literal.characters
    if (stripped > 0)
      ids.characters += charactersOf(
        this.#text.bytes,
        start - stripped - this.#text.base,
        start - this.#text.base,
      )
    if (literal.stripsBehind) this.#stripped = { literal, start: start - stripped }
    else this.segments.add(literal.id, start - stripped, this.#from, ids)
  }

  /** Skips the whitespace behind a literal; false where more of it may come. */
  #skipSpace({ literal, start }: LiteralMatch, ids: TokenBuffer): boolean {
    const text = this.#text
    while (text.taken < text.length) {
      const { bytes, base, taken } = text
      const lead = bytes[taken - base] as number
      if (text.length - taken < (lead < 0x80 ? 1 : lead < 0xe0 ? 2 : SPACE_BYTES) && !this.#ended)
        return false
      const size = spaceAt(bytes, taken - base)
      if (size === 0) break
      text.take(size)
      ids.characters++
    }
    if (text.taken === text.length && !this.#ended) return false
    this.#stripped = undefined
    this.#from = text.taken
    this.segments.add(literal.id, start, text.taken, ids)
    return true
  }
}

function charactersOf(bytes: Uint8Array, from: number, to: number): number {
  let characters = 0
  for (let i = from; i < to; i++) if ((bytes[i]! & 0xc0) !== 0x80) characters++
  return characters
}
