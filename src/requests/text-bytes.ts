import { InletError } from '../errors.js'
import { PAUSE, type Steps } from '../first-layer/steps.js'
import type { Ids } from '../first-layer/tokens/ids.js'
import type { TokenStrings } from '../first-layer/tokens/token-strings.js'
import { nameOf, type Tokenizer } from '../first-layer/tokens/tokenizer.js'
import type { Vocabulary } from '../first-layer/tokens/vocabulary.js'

/** Ids between two pauses: a few tenths of a millisecond. */
const SLICE = 1 << 16

type Tokens = Pick<Vocabulary | TokenStrings, 'offsets'>

/**
 * Number of bytes of the ids' tokens: [15496, 11] in `gpt2` → 6.
 *
 * @param tokens the tokens' bytes, or their strings
 * @throws InletError `token_out_of_range` for the first id that has no text
 */
export function* textBytes(tokenizer: Tokenizer, tokens: Tokens, ids: Ids): Steps<number> {
  let bytes = 0
  for (let start = 0; start < ids.length; start += SLICE) {
    yield PAUSE
    bytes += sliceBytes(tokenizer, tokens, ids, start)
  }
  return bytes
}

function sliceBytes(tokenizer: Tokenizer, { offsets }: Tokens, ids: Ids, start: number): number {
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
