import type { Ids } from '../first-layer/tokens/ids.js'
import type { Tokenizer } from '../first-layer/tokens/tokenizer.js'
import type { Vocabulary } from '../first-layer/tokens/vocabulary.js'
import type { Claim } from '../load/claim.js'
import { drive } from '../load/drive.js'
import { decodedBytes, decodedJson } from '../wire/decoded.js'
import { detokenizedJson } from '../wire/detokenized.js'
import type { EncodedAnswer } from '../wire/formats/format.js'
import { textBytes } from './text-bytes.js'
import { responseTooLarge } from './too-large.js'

const JSON_TYPE = 'application/json'

/**
 * The text of ids as JSON, `{"text":"Hello","lossy":false}`.
 *
 * @throws InletError `token_out_of_range`, `response_too_large` beyond `limit` bytes
 */
export function textOfIds(
  tokenizer: Tokenizer,
  ids: Ids,
  limit: number,
  claim: Claim,
): Promise<EncodedAnswer> {
  const { vocabulary } = tokenizer
  return vocabulary === undefined
    ? decoded(tokenizer, ids, limit, claim)
    : detokenized(tokenizer, vocabulary, ids, limit, claim)
}

async function detokenized(
  tokenizer: Tokenizer,
  vocabulary: Vocabulary,
  ids: Ids,
  limit: number,
  claim: Claim,
): Promise<EncodedAnswer> {
  const bytes = await textBytes(tokenizer, vocabulary, ids, claim)
  if (bytes > limit) throw responseTooLarge(JSON_TYPE, limit, `at least ${bytes} bytes`)
  return detokenizedJson(vocabulary, ids, bytes, claim)
}

/** The same for a tokenizer whose tokens have no bytes of their own. */
async function decoded(tokenizer: Tokenizer, ids: Ids, limit: number, claim: Claim): Promise<EncodedAnswer> {
  const { strings } = tokenizer
  if (strings === undefined || tokenizer.decode === undefined)
    throw new RangeError('a tokenizer without bytes of its tokens must decode')
  const decoding = tokenizer.decode(ids, await textBytes(tokenizer, strings, ids, claim))
  const text = 'parts' in decoding ? decoding : await drive(claim, decoding)
  const bytes = await decodedBytes(text, limit, claim)
  if (bytes > limit) throw responseTooLarge(JSON_TYPE, limit, `at least ${bytes} bytes`)
  return decodedJson(text, bytes)
}
