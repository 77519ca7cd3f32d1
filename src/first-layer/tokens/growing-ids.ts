import type { Claim } from '../../load/claim.js'
import { Reservation } from '../../load/reservation.js'
import { TokenBuffer } from './token-buffer.js'

const ID_BYTES = Int32Array.BYTES_PER_ELEMENT
const RANGED_BYTES = 3 * ID_BYTES

/** A list of ids that grows, text after text, and the memory reserved for it: 4 bytes an id, 8 more with its range. */
export class GrowingIds {
  readonly ids = new TokenBuffer()
  readonly #room: Reservation

  constructor(claim: Claim) {
    this.#room = new Reservation(claim)
  }

  /** Reserves memory for `more` ids; undefined where there is enough already. */
  makeRoom(more: number): Promise<void> | undefined {
    return this.#room.reach(
      this.ids.byteLength + more * (this.ids.ranges === undefined ? ID_BYTES : RANGED_BYTES),
    )
  }

  /** Called when no more ids come: gives back the memory that was reserved and not used. */
  settle(): TokenBuffer {
    this.#room.settle(this.ids.byteLength)
    return this.ids
  }
}
