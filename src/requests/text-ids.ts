import type { Claim } from '../load/claim.js'
import type { Encoding } from '../tokens/encoding.js'
import type { GrowingIds } from '../tokens/growing-ids.js'
import type { TokenBuffer } from '../tokens/token-buffer.js'
import { tokenizeBytes, tokenizeText } from '../tokens/tokenize.js'
import type { LongText } from '../wire/json/long-text.js'

/** Bytes of JSON up to which a text of a large body becomes a string: a short one is tokenized fastest from there. */
const SHORT = 16_384

/**
 * The ids of a text of a JSON body, whichever way it was read.
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
