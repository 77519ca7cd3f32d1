import { InletError } from '../errors.js'
import type { Ids } from '../tokens/ids.js'
import { nameOf, type Tokenizer } from '../tokens/tokenizer.js'
import type { Vocabulary } from '../tokens/vocabulary.js'
import { Pace, type StopSignal } from '../turn.js'

/** Ids between two looks at the clock: a few tenths of a millisecond. */
const SLICE = 1 << 16
/** The same where each id is looked up by its text. */
const TEXT_SLICE = 1 << 12

/**
 * Number of bytes of the text that the ids stand for: [15496, 11] in `gpt2` → 6.
 *
 * @throws InletError `token_out_of_range` for the first id that has no text
 */
export async function textBytes(
  tokenizer: Tokenizer,
  vocabulary: Vocabulary,
  ids: Ids,
  signal?: StopSignal,
): Promise<number> {
  const pace = new Pace(signal)
  let bytes = 0
  for (let start = 0; start < ids.length; start += SLICE) {
    if (pace.isOver) await pace.nextTurn()
    bytes += sliceBytes(tokenizer, vocabulary, ids, start)
  }
  return bytes
}

/**
 * The ids, each of which has a text, as one array: for tokenizers whose tokens have no bytes.
 *
 * @throws InletError as {@link textBytes}
 */
export async function idsWithText(tokenizer: Tokenizer, ids: Ids, signal?: StopSignal): Promise<Int32Array> {
  const pace = new Pace(signal)
  const checked = new Int32Array(ids.length)
  for (let start = 0; start < ids.length; start += TEXT_SLICE) {
    if (pace.isOver) await pace.nextTurn()
    const end = Math.min(start + TEXT_SLICE, ids.length)
    for (let place = start; place < end; place++) {
      const id = ids.at(place) as number
      if (tokenizer.tokenText(id) === undefined) throw textless(tokenizer, id, place)
      checked[place] = id
    }
  }
  return checked
}

function sliceBytes(tokenizer: Tokenizer, { offsets }: Vocabulary, ids: Ids, start: number): number {
  const end = Math.min(start + SLICE, ids.length)
  let bytes = 0
  for (let place = start; place < end; place++) {
    const id = ids.at(place) as number
    const length = offsets[id + 1]! - offsets[id]!
    if (!(length > 0)) throw textless(tokenizer, id, place)
    bytes += length
  }
  return bytes
}

function textless(tokenizer: Tokenizer, id: number, place: number): InletError {
  const rule = id < tokenizer.vocabSize ? 'no text for this id' : `ids below ${tokenizer.vocabSize}`
  const message = `\`input_ids.${place}\` must be a token of ${nameOf(tokenizer)}, which has ${rule}. Given: ${id}`
  return new InletError('token_out_of_range', message, `input_ids.${place}`)
}
