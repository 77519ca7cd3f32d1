import type { Claim } from '../../load/claim.js'
import { Reservation } from '../../load/reservation.js'
import type { TokenStream } from './token-stream.js'

/** Bytes that a stream holds without asking: the slice being worked on, and what of it may go on in the next. */
const FREE_BYTES = 1 << 18
/** Memory that a held byte takes while the stream's buffer grows to twice its size. */
const COPIES = 3

/** The memory of text that a stream holds back, as whitespace that a token may take along: usually none. */
export class HeldText {
  readonly #room: Reservation

  constructor(
    private readonly stream: TokenStream,
    claim: Claim,
  ) {
    this.#room = new Reservation(claim)
  }

  /** To be called before `more` bytes are written. Undefined where there is memory for them at once. */
  makeRoom(more: number): Promise<void> | undefined {
    const bytes = (this.stream.heldBytes ?? 0) + more
    return bytes <= FREE_BYTES ? undefined : this.#room.reach(COPIES * bytes)
  }

  /** The stream is done. */
  settle(): void {
    this.#room.settle(0)
  }
}
