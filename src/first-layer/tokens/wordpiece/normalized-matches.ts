import type { AddedToken, AddedTokenFinder } from '../added-tokens.js'
import { Kind, type NormalizationTable } from './normalization-table.js'
import type { CharacterSink } from './normalizer.js'
import type { IdSink, Words } from './words.js'

/** Characters kept beside those that a decision needs: few, since every text has its own list. */
const CAPACITY = 128

/** Finds the added tokens with `normalized: true` in normalized characters; passes the characters between on to the words. */
export class NormalizedMatches implements CharacterSink {
  readonly #codePoints: Int32Array
  readonly #kinds: Uint8Array
  readonly #starts: Int32Array
  readonly #ends: Int32Array
  /** Characters waiting: [first, last). */
  #first = 0
  #last = 0
  /** Characters that must be known behind one before it is decided. */
  readonly #lookahead: number
  /** No match begins before this place: the search continues after a refused single-word token. */
  #refusedUntil = 0
  /** The last character before #first, or −1 at the start of the text. */
  #previous = -1
  /** Start in the original text of the white space before #first; −1: none. */
  #spaceStart = -1
  /** A token that takes along the white space behind it, while that lasts. */
  #open: { id: number; start: number; end: number } | undefined

  constructor(
    private readonly finder: AddedTokenFinder,
    private readonly table: NormalizationTable,
    private readonly words: Words,
    private readonly ids: IdSink,
  ) {
    this.#lookahead = finder.longest + 1
    const capacity = CAPACITY + 2 * this.#lookahead
    this.#codePoints = new Int32Array(capacity)
    this.#kinds = new Uint8Array(capacity)
    this.#starts = new Int32Array(capacity)
    this.#ends = new Int32Array(capacity)
  }

  add(codePoint: number, kind: number, start: number, end: number): void {
    if (this.#last === this.#codePoints.length) this.#compact()
    this.#codePoints[this.#last] = codePoint
    this.#kinds[this.#last] = kind
    this.#starts[this.#last] = start
    this.#ends[this.#last++] = end
    while (this.#first + this.#lookahead <= this.#last) this.#step()
  }

  /** Ends the text: a token in the original text, or the document's end, follows. */
  end(): void {
    while (this.#first < this.#last) this.#step()
    this.words.endWord()
    this.#close()
    this.#first = this.#last = this.#refusedUntil = 0
    this.#previous = this.#spaceStart = -1
  }

  #step(): void {
    const at = this.#first
    const codePoint = this.#codePoints[at]!
    if (at >= this.#refusedUntil && this.finder.mayBeginWith(codePoint)) {
      const match = this.finder.findAt(this.#codePoints, at, this.#last)
      if (match !== undefined) {
        if (this.#isAllowed(match.token, match.end)) {
          this.#take(match.token, match.end)
          return
        }
        this.#refusedUntil = match.end
      }
    }
    this.#first++
    const isSpace = this.#kinds[at] === Kind.space
    this.#previous = codePoint
    if (this.#open !== undefined) {
      if (isSpace) {
        this.#open.end = this.#ends[at]!
        return
      }
      this.#close()
    }
    if (!isSpace) this.#spaceStart = -1
    else if (this.#spaceStart < 0) this.#spaceStart = this.#starts[at]!
    this.words.add(codePoint, this.#kinds[at]!, this.#starts[at]!, this.#ends[at]!)
  }

  #isAllowed(token: AddedToken, end: number): boolean {
    if (!token.singleWord) return true
    const isWord = (codePoint: number) => this.table.isWordCharacter(codePoint)
    if (this.#previous >= 0 && isWord(this.#previous)) return false
    return end === this.#last || !isWord(this.#codePoints[end]!)
  }

  #take(token: AddedToken, end: number): void {
    this.#close()
    this.words.endWord()
    const start = token.lstrip && this.#spaceStart >= 0 ? this.#spaceStart : this.#starts[this.#first]!
    this.#open = { id: token.id, start, end: this.#ends[end - 1]! }
    if (!token.rstrip) this.#close()
    this.#previous = this.#codePoints[end - 1]!
    this.#spaceStart = -1
    this.#first = end
  }

  #close(): void {
    if (this.#open === undefined) return
    this.ids.push(this.#open.id, this.#open.start, this.#open.end)
    this.#open = undefined
  }

  #compact(): void {
    const first = this.#first
    for (const list of [this.#codePoints, this.#kinds, this.#starts, this.#ends])
      list.copyWithin(0, first, this.#last)
    this.#last -= first
    this.#refusedUntil -= first
    this.#first = 0
  }
}
