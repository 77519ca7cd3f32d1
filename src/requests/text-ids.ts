import type { GrowingIds } from '../first-layer/tokens/growing-ids.js'
import type { TokenBuffer } from '../first-layer/tokens/token-buffer.js'
import { tokenizeBytes, tokenizeText } from '../first-layer/tokens/tokenize.js'
import type { StreamOptions, Tokenizer } from '../first-layer/tokens/tokenizer.js'
import type { Claim } from '../load/claim.js'
import type { TextPieces } from '../wire/json/long-text.js'

/** A text of at most so many bytes in a large body becomes a string: a short text is tokenized faster as one. */
const SHORT = 16_384

/**
 * The ids of a text from a JSON body, a small or a large one.
 *
 * @param into as in `tokenizeText`
 */
export function textIds(
  tokenizer: Tokenizer,
  text: string | TextPieces,
  options: StreamOptions,
  claim: Claim,
  into?: GrowingIds,
): Promise<TokenBuffer> {
  if (typeof text === 'string') return tokenizeText(tokenizer, text, options, claim, into)
  if (text.length <= SHORT) return tokenizeText(tokenizer, text.toString(), options, claim, into)
  return tokenizeBytes(tokenizer, text.pieces(), options, claim, into)
}
