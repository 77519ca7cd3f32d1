import { PAUSE, type Steps } from '../../steps.js'
import type { Ids } from '../ids.js'

/** Ids between two pauses. */
const SLICE = 1 << 16

/** Ids in an array that can be handed to another thread. */
export function* copiedIds(ids: Ids): Steps<Int32Array> {
  const copy = new Int32Array(ids.length)
  for (let start = 0; start < ids.length; start += SLICE) {
    yield PAUSE
    const end = Math.min(start + SLICE, ids.length)
    for (let i = start; i < end; i++) copy[i] = ids.at(i) as number
  }
  return copy
}
