import { Pace, type StopSignal } from '../../../turn.js'
import type { Ids } from '../ids.js'

/** Ids between two looks at the clock. */
const SLICE = 1 << 16

/** Ids in an array that can be handed to another thread. */
export async function copiedIds(ids: Ids, signal: StopSignal): Promise<Int32Array> {
  const pace = new Pace(signal)
  const copy = new Int32Array(ids.length)
  for (let start = 0; start < ids.length; start += SLICE) {
    if (pace.isOver) await pace.nextTurn()
    const end = Math.min(start + SLICE, ids.length)
    for (let i = start; i < end; i++) copy[i] = ids.at(i) as number
  }
  return copy
}
