import { isSpace, QUOTE } from './characters.js'
import { IdReader } from './id-reader.js'
import { type LongReader, STEP_BYTES } from './long-reader.js'
import { TextReader } from './text-reader.js'

/**
 * Reads a string, a list of strings, a list of ids or a list of such lists: the first byte of the first element tells
 * which, and another reader does the rest.
 */
export class InputReader implements LongReader {
  #reader: LongReader | undefined
  /** How far the first element has been searched for. */
  #sought = -1

  /** @param field name of the field, for messages */
  constructor(
    private readonly bytes: Buffer,
    private readonly field: string,
    private readonly maxDocuments: number,
  ) {}

  get isDone(): boolean {
    return this.#reader?.isDone ?? false
  }

  get byteLength(): number {
    return this.#reader?.byteLength ?? 0
  }

  step(at: number, stop: number): number {
    this.#reader ??= this.#readerAt(at)
    return this.#reader?.step(at, stop) ?? at
  }

  finish(pace: Parameters<LongReader['finish']>[0]): unknown {
    return this.#reader?.finish(pace)
  }

  /** The reader for the value at `at`; undefined where its first element has not been found yet. */
  #readerAt(at: number): LongReader | undefined {
    const { bytes } = this
    if (this.#sought < 0) this.#sought = bytes[at] === QUOTE ? at : at + 1
    const stop = Math.min(this.#sought + STEP_BYTES, bytes.length)
    while (this.#sought < stop && isSpace(bytes[this.#sought]!)) this.#sought++
    if (this.#sought === stop && stop < bytes.length) return undefined
    const Reader = bytes[this.#sought] === QUOTE ? TextReader : IdReader
    return new Reader(bytes, this.field, this.maxDocuments)
  }
}
