import { nameOf, type Tokenizer } from '../../../first-layer/tokens/tokenizer.js'
import { InletError, shown } from '../../answer/error-table.js'
import { END_OF_TEXT } from '../upload-fields.js'

/**
 * The id that an upload appends to each document: `endoftext` in `gpt2` → 50256; undefined: none.
 *
 * @param tokenizer undefined: the upload has ids alone
 * @throws InletError `invalid_request` for `endoftext` where the tokenizer has none; `token_out_of_range` for an id that the
 * tokenizer does not have
 */
export function documentEndOf(
  given: number | typeof END_OF_TEXT | undefined,
  tokenizer: Tokenizer | undefined,
): number | undefined {
  if (given === END_OF_TEXT) {
    if (tokenizer?.endOfText !== undefined) return tokenizer.endOfText
    const name = tokenizer === undefined ? 'ids alone' : nameOf(tokenizer)
    const message = `\`document_end\` must be an id: there is no end of text for ${name}. Given: ${shown(given)}`
    throw new InletError('invalid_request', message, 'document_end')
  }
  if (given !== undefined && tokenizer !== undefined && given >= tokenizer.vocabSize) {
    const rule = `below ${tokenizer.vocabSize}, the number of ids of ${nameOf(tokenizer)}`
    throw new InletError(
      'token_out_of_range',
      `\`document_end\` must be ${rule}. Given: ${given}`,
      'document_end',
    )
  }
  return given
}
