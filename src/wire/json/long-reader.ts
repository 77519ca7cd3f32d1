import type { Rest } from './json-place.js'

/** Reads one value that may be as long as the body, step by step. */
export interface LongReader<Value> {
  readonly isDone: boolean
  /** Bytes that the reader keeps of the value so far, besides the body. */
  readonly byteLength: number
  /**
   * Reads on from `at` to about `stop`, at most `STEP_BYTES` further.
   * @returns the place up to which it has read
   */
  step(at: number, stop: number): number
  /** Gives the value on, once all is read. */
  finish(give: (value: Value) => void): Rest
}
