import type { Reservation } from '../../load/reservation.js'
import type { Pace } from '../../turn.js'
import { invalidJson } from './invalid-json.js'

/** Bytes of JSON read between two looks at the clock: a tenth of a millisecond. */
export const STEP_BYTES = 16_384
/** Most bytes kept per byte of JSON: of `"",` 16 bytes are kept. */
const KEPT_PER_BYTE = 6

/** Reads one value that may be as long as the body, step by step. */
export interface LongReader {
  readonly isDone: boolean
  /** Bytes that the reader keeps of the value so far, besides the body. */
  readonly byteLength: number
  /**
   * Reads on from `at` to about `stop`, at most {@link STEP_BYTES} further.
   * @returns the place up to which it has read
   */
  step(at: number, stop: number): number
  /** The value, once all is read. */
  finish(pace: Pace): unknown
}

/**
 * Reads the value that begins at `from`, in short turns.
 *
 * @param room reservation from which the reader's memory is taken
 * @throws InletError `invalid_json`, `invalid_request`
 */
export async function readLong(
  reader: LongReader,
  bytes: Buffer,
  from: number,
  room: Reservation,
  pace: Pace,
): Promise<{ value: unknown; end: number }> {
  let at = from
  while (!reader.isDone) {
    if (at >= bytes.length) throw invalidJson(bytes, at)
    const wait = room.reach(reader.byteLength + STEP_BYTES * KEPT_PER_BYTE)
    if (wait !== undefined) await wait
    at = reader.step(at, Math.min(at + STEP_BYTES, bytes.length))
    if (pace.isOver) await pace.nextTurn()
  }
  room.settle(reader.byteLength)
  return { value: await reader.finish(pace), end: at }
}
