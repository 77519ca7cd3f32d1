import { type AddedToken, NO_TEMPLATE, type SpecialTemplate } from '../added-tokens.js'
import type { TokenBuffer } from '../token-buffer.js'
import type { TokenStream } from '../tokenizer.js'
import { openTail } from '../unicode/utf8-sequence.js'
import { type Literals, SPACE_BYTES, spacesAtEnd, spacesIn } from './literals.js'
import { ADVANCE_BYTES, type Segments } from './segments.js'

/** Bytes of an advance that a literal counts as, beside its own. */
const LITERAL_COST = 16

/**
 * One document: holds the bytes that its segments have not taken yet, and finds literals in them. The text before a
 * literal ends there.
 *
 *       ordinary text   │ whitespace  │ not searched yet …
 *       0             space        searched
 *
 * It holds the whitespace as long as a literal that takes it along may follow.
 */
export class DocumentStream implements TokenStream {
  /** The bytes that are not taken yet, and the place of the first one in the document. */
  #bytes = Buffer.alloc(0)
  #start = 0
  /** The bytes of the last `write` and those before it as Latin-1, and the place of the first one. */
  #text = ''
  #textStart = 0
  /** Places in `#bytes`: no literal begins before the second; only for literals with `stripsBefore` the first. */
  #space = 0
  #searched = 0
  /** The token whose literal begins at `#searched`. */
  #match: AddedToken | undefined
  /** The last literal and its place, while the whitespace behind it is skipped. */
  #stripped: { readonly token: AddedToken; readonly start: number } | undefined
  #isBegun = false
  #ended = false
  #done = false
  #hasMore = false

  constructor(
    private readonly segments: Pick<Segments, 'mostBytes' | 'run' | 'leave' | 'add'>,
    private readonly literals: Literals,
    private readonly template: SpecialTemplate = NO_TEMPLATE,
  ) {}

  get heldBytes(): number {
    return this.#bytes.length
  }

  write(utf8: Uint8Array): void {
    this.#bytes = Buffer.concat([this.#bytes, utf8])
    if (this.literals.isAny) this.#text = this.#bytes.toString('latin1')
    this.#textStart = this.#start
  }

  end(): undefined {
    this.#ended = true
  }

  advance(ids: TokenBuffer): boolean {
    if (!this.#isBegun) for (const id of this.template.before) this.segments.add(id, 0, 0, ids)
    this.#isBegun = true
    for (let budget = this.segments.mostBytes; budget > 0; ) {
      if (this.#done) return false
      if (this.#stripped !== undefined) {
        budget -= this.#skipSpace(budget, ids)
        if (this.#stripped !== undefined || budget <= 0) return budget <= 0
      }
      if (!this.#hasMore && this.#match === undefined) this.#search()
      const isLast = this.#match !== undefined || (this.#ended && this.#searched === this.#bytes.length)
      const isSpaceHeld = this.literals.stripsBefore && (this.#match?.lstrip ?? !isLast)
      const limit = isSpaceHeld ? this.#space : this.#searched
      const count = this.#hasMore ? 0 : Math.min(budget, limit)
      const isEnd = isLast && count === limit
      if (count === 0 && !isEnd && !this.#hasMore) return this.#searched < this.#searchable

      const start = this.#start
      this.#hasMore = this.segments.run(this.#take(count), start, isEnd, ids)
      // Work left on a long piece uses up this call's budget.
      budget -= this.#hasMore ? ADVANCE_BYTES : count + LITERAL_COST
      if (isEnd && !this.#hasMore) this.#finish(ids)
    }
    return !this.#done
  }

  /** Takes the next `count` bytes. */
  #take(count: number): Buffer {
    const taken = this.#bytes.subarray(0, count)
    this.#bytes = this.#bytes.subarray(count)
    this.#start += count
    this.#searched -= count
    this.#space -= count
    return taken
  }

  /** The place from which on a literal, or a longer one at its place, may still lack its end; a character begins there. */
  get #searchable(): number {
    if (this.#ended) return this.#bytes.length
    const end = Math.max(0, this.#bytes.length - this.literals.overhang)
    if (this.literals.stripsBefore) return wholeCharacters(this.#bytes, end)
    return this.literals.beginningIn(this.#bytes, end)
  }

  /** Searches for a literal. */
  #search(): void {
    const bytes = this.#bytes
    const until = this.#searchable
    if (until <= this.#searched) return
    const before = this.#start - this.#textStart
    const { at, token } = this.literals.find(this.#text, before + this.#searched, before + until)
    this.#match = token
    const end = this.literals.stripsBefore ? wholeCharacters(bytes, at - before) : at - before
    const spaces = this.literals.stripsBefore ? spacesAtEnd(bytes.subarray(this.#searched, end)) : 0
    if (end - spaces > this.#searched) this.#space = end - spaces // else the whitespace continues that before it
    this.#searched = end
  }

  /** The text before a literal has ended, or the document. */
  #finish(ids: TokenBuffer): void {
    const token = this.#match
    if (token === undefined) {
      for (const id of this.template.after) this.segments.add(id, 0, 0, ids)
      this.#done = true
      this.segments.leave()
      return
    }
    const start = this.#start
    ids.characters += charactersIn(this.#take(this.#searched + Buffer.byteLength(token.content)))
    this.#match = undefined
    if (token.rstrip) this.#stripped = { token, start }
    else this.#add(token, start, ids)
  }

  #add(token: AddedToken, start: number, ids: TokenBuffer): void {
    this.segments.add(token.id, start, this.#start, ids)
    this.#stripped = undefined
    this.#searched = this.#space = 0
  }

  /** Skips about `most` bytes of the whitespace behind a literal. @returns the number of skipped bytes */
  #skipSpace(most: number, ids: TokenBuffer): number {
    const bytes = this.#bytes
    const end = wholeCharacters(bytes, Math.min(bytes.length - openTail(bytes), most + SPACE_BYTES))
    const at = spacesIn(bytes.subarray(0, end))
    const isOver = at < end || (this.#ended && at === bytes.length)
    ids.characters += charactersIn(this.#take(at))
    if (isOver) this.#add(this.#stripped!.token, this.#stripped!.start, ids)
    return at
  }
}

/** Whether a byte of UTF-8 continues a character. */
function isContinuation(byte: number): boolean {
  return (byte & 0xc0) === 0x80
}

/** The last place up to `end` where a character of the text begins or ends. */
function wholeCharacters(text: Buffer, end: number): number {
  let at = end
  while (at > 0 && at < text.length && isContinuation(text[at])) at--
  return at
}

function charactersIn(utf8: Buffer): number {
  let characters = 0
  for (const byte of utf8) if (!isContinuation(byte)) characters++
  return characters
}
