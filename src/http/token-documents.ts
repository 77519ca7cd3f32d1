import type { Model } from '../embeddings/model.js'
import { InletError } from '../errors.js'
import { TokenBuffer } from '../tokens/token-buffer.js'
import { tokenizeBytes, tokenizeText } from '../tokens/tokenize.js'
import type { StopSignal } from '../turn.js'
import { Documents } from '../windows/documents.js'

/**
 * Texts as documents of token ids.
 *
 * @param path where text `i` stands in the request: `text`, or `text.1`
 * @throws InletError `token_out_of_range` where the model's table is smaller than the encoding
 */
export async function documentsOfTexts(
  model: Model,
  texts: readonly string[],
  allowedSpecial: ReadonlySet<string>,
  path: (i: number) => string,
  signal?: StopSignal,
): Promise<Documents> {
  const documents: TokenBuffer[] = []
  for (const [i, text] of texts.entries()) {
    const ids = await tokenizeText(model.spec.encoding, text, allowedSpecial, signal)
    checkTokens(model, ids, path(i))
    documents.push(ids)
  }
  return new Documents(documents)
}

/**
 * One text that comes as UTF-8 in parts, as a document; the text is never held as a whole.
 *
 * @throws InletError `token_out_of_range`, and what the chunks throw
 */
export async function documentOfBytes(
  model: Model,
  chunks: AsyncIterable<Uint8Array>,
  allowedSpecial: ReadonlySet<string>,
  signal?: StopSignal,
): Promise<Documents> {
  const ids = await tokenizeBytes(model.spec.encoding, chunks, allowedSpecial, signal)
  checkTokens(model, ids, 'text')
  return new Documents([ids])
}

/** @throws InletError `token_out_of_range` for the first token that has no row */
export function checkTokens(model: Model, ids: TokenBuffer, param: string): void {
  const { vocabSize, encoding } = model.spec
  if (encoding.vocabSize <= vocabSize) return
  for (let i = 0; i < ids.length; i++) {
    if (ids.at(i) < vocabSize) continue
    const message = `\`${param}\` must give ids below \`vocab_size\` ${vocabSize}. Token ${i} is ${ids.at(i)}`
    throw new InletError('token_out_of_range', message, param)
  }
}

/**
 * Ids as documents, exactly as given. One list is one document.
 *
 * @throws InletError `token_out_of_range` naming the id, its place and V
 */
export function documentsOfIds(
  model: Model,
  given: readonly number[] | readonly (readonly number[])[],
): Documents {
  const nested = Array.isArray(given[0])
  const lists = (nested ? given : [given]) as readonly (readonly number[])[]
  return new Documents(lists.map((ids, d) => checkedIds(model, ids, nested ? `input_ids.${d}` : 'input_ids')))
}

function checkedIds(model: Model, ids: readonly number[], path: string): TokenBuffer {
  const { vocabSize } = model.spec
  const place = ids.findIndex((id) => id >= vocabSize)
  if (place < 0) return TokenBuffer.of(ids)
  const param = `${path}.${place}`
  const message = `\`${param}\` must be below \`vocab_size\` ${vocabSize}. Given: ${ids[place]}`
  throw new InletError('token_out_of_range', message, param)
}
