import { Reserved } from '../reserved.js'
import { TokenBuffer } from './token-buffer.js'

const ID_BYTES = Int32Array.BYTES_PER_ELEMENT
const RANGED_BYTES = 3 * ID_BYTES

/** A list of ids that grows, text after text, and the memory reserved for it: 4 bytes an id, 8 more with its range. */
export class GrowingIds {
  readonly ids = new TokenBuffer()
  readonly #room = new Reserved()

  /** The bytes to reserve before `more` ids come. */
  makeRoom(more: number): number {
    return this.#room.reach(
      this.ids.byteLength + more * (this.ids.ranges === undefined ? ID_BYTES : RANGED_BYTES),
    )
  }

  /** Called when no more ids come: the bytes that were reserved and not used, to be given back. */
  settle(): number {
    return this.#room.settle(this.ids.byteLength)
  }
}
