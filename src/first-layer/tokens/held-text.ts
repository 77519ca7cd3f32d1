import { Reserved } from '../reserved.js'
import type { TokenStream } from './token-stream.js'

/** Bytes that a stream holds without asking: the slice being worked on, and what of it may go on in the next. */
const FREE_BYTES = 1 << 18
/** Memory that a held byte takes while the stream's buffer grows to twice its size. */
const COPIES = 3

/** The memory of text that a stream holds back, as whitespace that a token may take along: usually none. */
export class HeldText {
  readonly #room = new Reserved()

  constructor(private readonly stream: TokenStream) {}

  /** The bytes to reserve before `more` bytes are written. */
  makeRoom(more: number): number {
    const bytes = (this.stream.heldBytes ?? 0) + more
    return bytes <= FREE_BYTES ? 0 : this.#room.reach(COPIES * bytes)
  }

  /** The bytes to give back when the stream is done. */
  settle(): number {
    return this.#room.settle(0)
  }
}
