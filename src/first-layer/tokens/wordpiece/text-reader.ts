import type { AddedTokenFinder } from '../added-tokens.js'
import { KIND_MASK, KIND_SHIFT, Kind, type NormalizationTable } from './normalization-table.js'
import type { NormalizedMatches } from './normalized-matches.js'
import { Normalizer } from './normalizer.js'
import type { IdSink, Words } from './words.js'

const decoder = new TextDecoder('utf-8', { ignoreBOM: true }) // `ignoreBOM` keeps a byte order mark

/**
 * Reads UTF-8: finds the added tokens with `normalized: false`, normalizes the characters between them, and passes these
 * to `matches`, or without other added tokens to `words`.
 */
export class TextReader {
  characters = 0
  readonly #normalizer: Normalizer
  /** No match begins before this place: the search continues after a refused single-word token. */
  #refusedUntil = 0
  /** The last character read, or −1 at the start. */
  #previous = -1
  /** The end of the last character that is no white space, and of the last added token. */
  #spaceStart = 0
  /** A token that takes along the white space behind it, while that lasts. */
  #open: { id: number; start: number; end: number } | undefined

  constructor(
    private readonly table: NormalizationTable,
    private readonly finder: AddedTokenFinder | undefined,
    private readonly matches: NormalizedMatches | undefined,
    private readonly words: Words,
    private readonly ids: IdSink,
  ) {
    this.#normalizer = new Normalizer(table, matches ?? words)
  }

  /** Bytes that must be known behind a place before the reader decides the character or token there. */
  get lookahead(): number {
    return (this.finder?.longest ?? 0) + 4
  }

  /**
   * Reads the characters that begin in `from … limit`; the text so far has `length` bytes.
   *
   * @param base offset of `utf8[0]` in the whole text
   * @returns the place where it stopped
   */
  read(utf8: Uint8Array, from: number, limit: number, length: number, base: number): number {
    const { table, finder, matches, words } = this
    const normalizer = this.#normalizer
    const tracksSpace = finder?.hasLstrip ?? false
    const ascii = table.asciiEntries
    let characters = 0
    let previous = this.#previous
    let at = from
    while (at < limit) {
      const byte = utf8[at]!
      if (finder?.mayBeginWith(byte) && base + at >= this.#refusedUntil) {
        this.#previous = previous
        const end = this.#readToken(finder, utf8, at, length, base)
        if (end > at) {
          at = end
          previous = this.#previous
          continue
        }
      }
      let codePoint = byte
      const start = at++
      if (byte >= 0xe0) {
        codePoint = ((byte & 15) << 12) | ((utf8[at++]! & 63) << 6) | (utf8[at++]! & 63)
        if (byte >= 0xf0) codePoint = (codePoint << 6) | (utf8[at++]! & 63)
      } else if (byte >= 0x80) codePoint = ((byte & 31) << 6) | (utf8[at++]! & 63)
      characters++
      previous = codePoint
      if (this.#open !== undefined && this.#extendToken(codePoint, base + at)) continue
      if (tracksSpace && !table.isSpace(codePoint)) this.#spaceStart = base + at

      const entry = byte < 0x80 ? ascii[byte]! : table.entryOf(codePoint)
      const kind = entry & KIND_MASK
      if (kind >= Kind.list) normalizer.addSpecial(entry, base + start, base + at)
      else if (kind !== Kind.none) {
        if (normalizer.isWaiting) normalizer.flush()
        if (matches !== undefined) matches.add(entry >> KIND_SHIFT, kind, base + start, base + at)
        else words.add(entry >> KIND_SHIFT, kind, base + start, base + at)
      }
    }
    this.characters += characters
    this.#previous = previous
    return at
  }

  /** Ends the text; the next `read` begins another one. */
  end(): void {
    this.#endPiece()
    this.#refusedUntil = this.#spaceStart = 0
    this.#previous = -1
  }

  /** Ends the text before an added token or the end. */
  #endPiece(): void {
    this.#normalizer.flush()
    this.matches?.end()
    this.words.endWord()
    this.#close()
  }

  /** Reads the added token that begins at `at`; returns its end, or `at` if there is none. */
  #readToken(finder: AddedTokenFinder, utf8: Uint8Array, at: number, length: number, base: number): number {
    const match = finder.findAt(utf8, at, length)
    if (match === undefined) return at
    const { token, end } = match
    if (token.singleWord && this.#isInWord(utf8, end, length)) {
      this.#refusedUntil = base + end
      return at
    }
    this.#endPiece()
    this.#open = { id: token.id, start: token.lstrip ? this.#spaceStart : base + at, end: base + end }
    if (!token.rstrip) this.#close()
    this.#spaceStart = base + end
    const content = [...token.content]
    this.#previous = content.at(-1)!.codePointAt(0)!
    this.characters += content.length
    return end
  }

  #isInWord(utf8: Uint8Array, end: number, length: number): boolean {
    if (this.#previous >= 0 && this.table.isWordCharacter(this.#previous)) return true
    if (end === length) return false
    const next = decoder.decode(utf8.subarray(end, Math.min(end + 4, length)))
    return this.table.isWordCharacter(next.codePointAt(0)!)
  }

  /** White space behind a token that takes it along; returns false, and ends the token, at any other character. */
  #extendToken(codePoint: number, end: number): boolean {
    if (this.table.isSpace(codePoint)) {
      this.#open!.end = end
      this.#spaceStart = end
      return true
    }
    this.#close()
    return false
  }

  #close(): void {
    if (this.#open === undefined) return
    this.ids.push(this.#open.id, this.#open.start, this.#open.end)
    this.#open = undefined
  }
}
