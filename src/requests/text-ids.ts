import type { Claim } from '../load/claim.js'
import type { Encoding } from '../tokens/encoding.js'
import type { GrowingIds } from '../tokens/growing-ids.js'
import type { TokenBuffer } from '../tokens/token-buffer.js'
import { tokenizeBytes, tokenizeText } from '../tokens/tokenize.js'
import type { LongText } from '../wire/json/long-text.js'

/** A text of at most so many bytes in a large body becomes a string: a short text is tokenized faster as one. */
const SHORT = 16_384

/**
 * The ids of a text from a JSON body, a small or a large one.
 *
 * @param into as in `tokenizeText`
 */
export function textIds(
  encoding: Encoding,
  text: string | LongText,
  allowedSpecial: ReadonlySet<string>,
  claim: Claim,
  into?: GrowingIds,
): Promise<TokenBuffer> {
  if (typeof text === 'string') return tokenizeText(encoding, text, allowedSpecial, claim, into)
  if (text.length <= SHORT) return tokenizeText(encoding, text.toString(), allowedSpecial, claim, into)
  return tokenizeBytes(encoding, text.pieces(), allowedSpecial, claim, into)
}
