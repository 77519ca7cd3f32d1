import type { SpecialTemplate } from '../special-template.js'
import type { TokenBuffer } from '../token-buffer.js'
import type { TokenStream } from '../token-stream.js'
import type { IdBatch } from './id-batch.js'
import type { TextReader } from './text-reader.js'

/** Bytes read in one advance: a fraction of a millisecond for ordinary text, a few for the most hostile. */
const ADVANCE_BYTES = 4096

/** Tokenizes one document; holds the bytes that are not read yet. Offsets count from the document's start. */
export class WordPieceStream implements TokenStream {
  #waiting = new Uint8Array(0)
  #base = 0
  #read = 0
  #length = 0
  #ended = false
  #isDone = false
  #hasBegun = false

  /** @param batch takes the ids of one advance; streams of a thread may share it */
  constructor(
    private readonly reader: TextReader,
    private readonly batch: IdBatch,
    private readonly template: SpecialTemplate,
    private readonly ranges: boolean,
  ) {}

  write(utf8: Uint8Array): void {
    const kept = this.#length - this.#read
    if (this.#length + utf8.length > this.#waiting.length) {
      const room = kept + utf8.length
      const waiting = room * 2 > this.#waiting.length ? new Uint8Array(room * 2) : this.#waiting
      waiting.set(this.#waiting.subarray(this.#read, this.#length))
      this.#waiting = waiting
      this.#base += this.#read
      this.#length = kept
      this.#read = 0
    }
    this.#waiting.set(utf8, this.#length)
    this.#length += utf8.length
  }

  end(): void {
    this.#ended = true
  }

  advance(ids: TokenBuffer): boolean {
    if (this.#isDone) return false
    const { batch, reader } = this
    batch.length = 0
    const charactersBefore = reader.characters
    if (!this.#hasBegun) {
      this.#hasBegun = true
      for (const id of this.template.before) batch.push(id, 0, 0)
    }
    const limit = this.#ended ? this.#length : this.#length - reader.lookahead
    const until = Math.min(limit, this.#read + ADVANCE_BYTES)
    if (this.#read < until)
      this.#read = reader.read(this.#waiting, this.#read, until, this.#length, this.#base)
    if (this.#ended && this.#read === this.#length) {
      reader.end()
      for (const id of this.template.after) batch.push(id, 0, 0)
      this.#isDone = true
    }
    batch.appendTo(ids, this.ranges)
    ids.characters += reader.characters - charactersBefore
    return !this.#isDone && this.#read < limit
  }
}
