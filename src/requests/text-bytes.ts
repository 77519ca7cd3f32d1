import { InletError } from '../errors.js'
import type { Encoding } from '../tokens/encoding.js'
import type { Ids } from '../tokens/ids.js'
import { Pace, type StopSignal } from '../turn.js'

/** Ids between two looks at the clock: a few tenths of a millisecond. */
const SLICE = 1 << 16

/**
 * Number of bytes of the text that the ids stand for: [15496, 11] in `gpt2` → 6.
 *
 * @throws InletError `token_out_of_range` for the first id that has no text
 */
export async function textBytes(encoding: Encoding, ids: Ids, signal?: StopSignal): Promise<number> {
  const pace = new Pace(signal)
  let bytes = 0
  for (let start = 0; start < ids.length; start += SLICE) {
    if (pace.isOver) await pace.nextTurn()
    bytes += sliceBytes(encoding, ids, start)
  }
  return bytes
}

function sliceBytes(encoding: Encoding, ids: Ids, start: number): number {
  const { offsets } = encoding.vocabulary
  const end = Math.min(start + SLICE, ids.length)
  let bytes = 0
  for (let place = start; place < end; place++) {
    const id = ids.at(place) as number
    const length = offsets[id + 1] - offsets[id]
    if (!(length > 0)) throw textless(encoding, id, place)
    bytes += length
  }
  return bytes
}

function textless(encoding: Encoding, id: number, place: number): InletError {
  const rule = id < encoding.vocabSize ? 'no text for this id' : `ids below ${encoding.vocabSize}`
  const message = `\`input_ids.${place}\` must be a token of ${encoding.name}, which has ${rule}. Given: ${id}`
  return new InletError('token_out_of_range', message, `input_ids.${place}`)
}
