import type { Claim } from '../load/claim.js'
import { Reservation } from '../load/reservation.js'
import { TokenBuffer } from './token-buffer.js'

/** A list of ids that grows, text after text, and the memory reserved for it: 4 bytes an id. */
export class GrowingIds {
  readonly ids = new TokenBuffer()
  readonly #room: Reservation

  constructor(claim: Claim) {
    this.#room = new Reservation(claim)
  }

  /** Reserves room for so many more ids; undefined where there is some. */
  makeRoom(more: number): Promise<void> | undefined {
    return this.#room.reach(this.ids.byteLength + more * Int32Array.BYTES_PER_ELEMENT)
  }

  /** No more ids come: gives back what was reserved for nothing. */
  settle(): TokenBuffer {
    this.#room.settle(this.ids.byteLength)
    return this.ids
  }
}
