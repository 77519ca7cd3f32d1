import type { Steps } from '../first-layer/steps.js'
import type { Ids } from '../first-layer/tokens/ids.js'
import type { Tokenizer } from '../first-layer/tokens/tokenizer.js'
import type { Vocabulary } from '../first-layer/tokens/vocabulary.js'
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
export function textOfIds(tokenizer: Tokenizer, ids: Ids, limit: number): Steps<EncodedAnswer> {
  const { vocabulary } = tokenizer
  return vocabulary === undefined
    ? decoded(tokenizer, ids, limit)
    : detokenized(tokenizer, vocabulary, ids, limit)
}

function* detokenized(
  tokenizer: Tokenizer,
  vocabulary: Vocabulary,
  ids: Ids,
  limit: number,
): Steps<EncodedAnswer> {
  const bytes = yield* textBytes(tokenizer, vocabulary, ids)
  if (bytes > limit) throw responseTooLarge(JSON_TYPE, limit, `at least ${bytes} bytes`)
  return yield* detokenizedJson(vocabulary, ids, bytes)
}

/** The same for a tokenizer whose tokens have no bytes of their own. */
function* decoded(tokenizer: Tokenizer, ids: Ids, limit: number): Steps<EncodedAnswer> {
  const { strings } = tokenizer
  if (strings === undefined || tokenizer.decode === undefined)
    throw new RangeError('a tokenizer without bytes of its tokens must decode')
  const decoding = tokenizer.decode(ids, yield* textBytes(tokenizer, strings, ids))
  const text = 'parts' in decoding ? decoding : yield* decoding
  const bytes = yield* decodedBytes(text, limit)
  if (bytes > limit) throw responseTooLarge(JSON_TYPE, limit, `at least ${bytes} bytes`)
  return decodedJson(text, bytes)
}
