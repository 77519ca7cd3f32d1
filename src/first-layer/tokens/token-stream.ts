import type { Steps } from '../steps.js'
import type { TokenBuffer } from './token-buffer.js'

/**
 * One document on its way from UTF-8 to ids: `write` its bytes in any cut, `end`, and call `advance` until
 * it has no more to do. Bytes must be valid UTF-8; that is checked elsewhere.
 */
export interface TokenStream {
  /** Bytes that were written and wait for what follows them; absent where they are few. */
  readonly heldBytes?: number
  /** Takes bytes, cut anywhere, even within a character. They stay as they are until `keep`, or to the end without one. */
  write(utf8: Uint8Array): void
  /** Called where the written bytes change: copies what is still needed of them. Absent: nothing is. */
  keep?(): void
  /** No more bytes follow. */
  end(): void
  /**
   * Does a bounded amount of work, about a millisecond, and appends at most 16,384 ids; true while more can be done now. Steps
   * where another process does the work. Counts the characters that it has worked on in `ids.characters`.
   */
  advance(ids: TokenBuffer): boolean | Steps<boolean>
}
