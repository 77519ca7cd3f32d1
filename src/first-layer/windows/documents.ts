import { TokenBuffer } from '../tokens/token-buffer.js'
import { type DocumentBounds, lastStartAtMost } from './document-bounds.js'
import { Offsets } from './offsets.js'

/**
 * The documents of a request as token ids: all ids one after the other, and where each document ends. A window never
 * crosses from one to the next.
 *
 * `documents.ids.append(…)` and `documents.endDocument()` add one; a document costs 8 bytes beside its ids.
 */
export class Documents implements DocumentBounds {
  /** Bytes of memory that a document takes beside its ids. */
  static readonly DOCUMENT_BYTES: number = 8
  readonly #ends = new Offsets()
  #longest = 0

  /** @param ids of the documents to come, one after the other */
  constructor(readonly ids = new TokenBuffer()) {}

  /** One document of all these ids. */
  static of(ids: TokenBuffer): Documents {
    const documents = new Documents(ids)
    documents.endDocument()
    return documents
  }

  /** Ends a document: it consists of the ids since the end of the document before. */
  endDocument(end = this.ids.length): void {
    const length = end - this.totalTokens
    if (length > this.#longest) this.#longest = length
    this.#ends.push(end)
  }

  get count(): number {
    return this.#ends.length
  }

  /** Tokens of all documents. */
  get totalTokens(): number {
    return this.start(this.count)
  }

  /** Characters of all texts; 0 where the documents were given as ids. */
  get totalCharacters(): number {
    return this.ids.characters
  }

  /** Tokens of the longest document. */
  get longest(): number {
    return this.#longest
  }

  /** Where document `d` starts in the ids; of `count`, where the last one ends. */
  start(d: number): number {
    return d === 0 ? 0 : this.#ends.at(d - 1)
  }

  /** Tokens of document `d`. */
  length(d: number): number {
    return this.start(d + 1) - this.start(d)
  }

  /** The document that the id at `place` of the ids belongs to. */
  documentAt(place: number): number {
    return lastStartAtMost(this, place)
  }

  /** Copies the ids `start … start + count − 1` of document `d` to `out[at …]`. */
  copyTo(out: Int32Array, at: number, d: number, start: number, count: number): void {
    this.ids.copyTo(out, this.start(d) + start, count, at)
  }
}
