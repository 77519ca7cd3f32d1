import { isTurnOver, nextTurn, type StopSignal } from '../../first-layer/running/drive.js'

/**
 * Waits for the next turn of the event loop, in order of arrival, where this one has used its millisecond. Called between
 * two slices of work: `while (writer.advance()) await turn(claim)`.
 *
 * @param signal asked after the wait; what it throws ends the work
 */
export function turn(signal?: StopSignal): Promise<void> | undefined {
  return isTurnOver() ? nextTurn(signal) : undefined
}
