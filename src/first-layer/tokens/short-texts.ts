import type { TokenBuffer } from './token-buffer.js'

/** Bytes of the texts of one call, and their number at most. */
export const BATCH_BYTES = 32_768
export const BATCH_TEXTS = 4096

/** Takes the ids of documents, one behind the other. */
export interface DocumentIds {
  readonly ids: TokenBuffer
  /** An id that each document ends with. */
  readonly documentEnd?: number | undefined
  /** A document ends with the id before `end`, counted in `ids`. */
  endAt(end: number): void
}

/** Tokenizes short texts that lie in one piece of memory, many at once: without a string, a stream or a call for each. */
export interface ShortTexts {
  /**
   * Appends the ids of texts, each a document by itself with its end; counts their characters.
   *
   * @param bounds of each text its first byte in `utf8` and the one behind its last, ascending: {@link BATCH_BYTES} of texts and
   *   {@link BATCH_TEXTS} at most
   * @param first the number of the first text
   * @param count the number behind the last text
   * @returns how many are done, in well under a millisecond; 0: the first one needs a stream
   */
  encode(utf8: Buffer, bounds: Int32Array, first: number, count: number, into: DocumentIds): number
}
