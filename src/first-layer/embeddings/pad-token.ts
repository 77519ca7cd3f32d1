import { InletError } from '../errors.js'
import type { ModelSpec } from './model.js'

/**
 * The id that fills padded slots: the one given, or the model's own: a checkpoint's, or the encoding's end-of-text.
 *
 * @throws InletError `token_out_of_range` for an id without a row, `invalid_request` where the default has none
 */
export function padToken({ vocabSize, padTokenId }: ModelSpec, given: number | undefined): number {
  const id = given ?? padTokenId
  if (id !== undefined && id < vocabSize) return id
  if (given === undefined) {
    const reason =
      id === undefined
        ? 'the model has none of its own'
        : `the model’s own, ${id}, is not below \`vocab_size\` ${vocabSize}`
    const message = `\`pad_token_id\` is needed: ${reason}.`
    throw new InletError('invalid_request', message, 'pad_token_id')
  }
  const message = `\`pad_token_id\` must be below \`vocab_size\` ${vocabSize}. Given: ${id}`
  throw new InletError('token_out_of_range', message, 'pad_token_id')
}
