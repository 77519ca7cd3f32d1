import { TokenBuffer } from '../token-buffer.js'
import type { IdSink } from './words.js'

/** Most ids of one step of a stream. */
const CAPACITY = 16_384

/** The ids of one step, with each id's bytes in the original text: start, end, start, end … */
export class IdBatch implements IdSink {
  length = 0
  readonly ids = new Int32Array(CAPACITY)
  readonly ranges = new Int32Array(2 * CAPACITY)

  push(id: number, start: number, end: number): void {
    const at = this.length++
    this.ids[at] = id
    this.ranges[2 * at] = start
    this.ranges[2 * at + 1] = end
  }

  /** Appends the ids, and their ranges if wanted, to a list. */
  appendTo(ids: TokenBuffer, withRanges: boolean): void {
    ids.append(this.ids.subarray(0, this.length))
    if (!withRanges) return
    ids.ranges ??= new TokenBuffer()
    ids.ranges.append(this.ranges.subarray(0, 2 * this.length))
  }
}
