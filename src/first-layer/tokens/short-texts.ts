import type { TokenBuffer } from './token-buffer.js'

/** Tokenizes short texts that lie in one piece of memory, without a string or a stream for each. */
export interface ShortTexts {
  /** Names the memory of the next texts. It stays as it is while they are encoded. */
  lieIn(utf8: Buffer): void
  /**
   * Appends the ids of the text in the bytes `start … end`, a document by itself; counts its characters. Texts come in
   * the order of their places.
   *
   * @returns false, with nothing appended, where the text needs a stream
   */
  encode(start: number, end: number, ids: TokenBuffer): boolean
}
