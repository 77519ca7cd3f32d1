import type { Architecture } from './embeddings/architectures/registry.js'
import type { Model } from './embeddings/model.js'
import { InletError, invalidField } from './errors.js'
import type { Given, GivenTexts, Text } from './given.js'
import { ALONE, type Edge } from './running/edge.js'
import type { TokenBuffer } from './tokens/token-buffer.js'
import { type AskedTokens, streamOptions, tokenizeAsync } from './tokens/tokenize.js'
import type { StreamOptions, Tokenizer } from './tokens/tokenizer.js'
import { Documents } from './windows/documents.js'
import { IdLists } from './windows/id-lists.js'

const NO_TEXT: StreamOptions = { allowedSpecial: new Set() }

/** A text, or the chunks of one, in UTF-8, which are read as they come. */
type Chunks = AsyncIterable<Uint8Array>

/** How a request's texts become ids; what it asks for beside ids is ignored. @throws InletError `invalid_request` */
export function textOptions({ spec }: Model, given: Given, asked: AskedTokens): StreamOptions {
  return given instanceof IdLists ? NO_TEXT : streamOptions(spec.tokenizer, asked)
}

/**
 * Makes documents of token ids from a request's texts or ids; ids stay exactly as given.
 * @param field that messages name. Default: `text` or `input_ids`
 * @throws InletError `token_out_of_range` where the model's table has no row for an id, and what chunks throw
 */
export async function documentsOf(
  { spec }: { readonly spec: Pick<Model['spec'], 'tokenizer' | 'vocabSize'> },
  given: Given,
  options: StreamOptions,
  edge: Edge = ALONE,
  field = given instanceof IdLists ? 'input_ids' : 'text',
): Promise<Documents> {
  const { tokenizer, vocabSize } = spec
  if (given instanceof IdLists) return idsBelow(given, vocabSize, '`vocab_size`', field, edge)
  const documents = await textDocuments(tokenizer, given, options, field, edge)
  const place = vocabSize < tokenizer.vocabSize ? await placeOfAtLeast(documents.ids, vocabSize, edge) : -1
  if (place < 0) return documents
  const document = documents.documentAt(place)
  const param = Array.isArray(given) ? `${field}.${document}` : field
  const token = `Token ${place - documents.start(document)} is ${documents.ids.at(place)}`
  const message = `\`${param}\` must give ids below \`vocab_size\` ${vocabSize}. ${token}`
  throw new InletError('token_out_of_range', message, param)
}

/**
 * The documents of a text or of a list of texts: all ids one after the other.
 * @param field of the texts: an error about one of a list names `field.3`
 * @throws InletError what a tokenizer refuses a text with
 */
export async function textDocuments(
  tokenizer: Tokenizer,
  texts: GivenTexts | Chunks,
  options: StreamOptions,
  field: string,
  edge: Edge,
): Promise<Documents> {
  const documents = new Documents()
  const { ids } = documents
  const between = (bytes: number) => edge.between(bytes + Documents.DOCUMENT_BYTES * documents.count)
  const isList = Array.isArray(texts)
  try {
    for (const text of (isList ? texts : [texts]) as readonly (Text | Chunks)[]) {
      const parts = text instanceof Uint8Array ? [text] : text
      await tokenizeAsync(tokenizer, parts, options, { ids, between, stop: edge.stop })
      documents.endDocument()
    }
  } catch (error) {
    throw aboutText(error, isList ? `${field}.${documents.count}` : field)
  }
  edge.settle?.(ids.byteLength + Documents.DOCUMENT_BYTES * documents.count)
  return documents
}

const ONE_TEXT = 'text'

/** An error about a text, with the path of that text in the request. */
function aboutText(error: unknown, path: string): unknown {
  if (!(error instanceof InletError) || error.param !== ONE_TEXT || path === ONE_TEXT) return error
  return new InletError(error.code, error.message.replace(`\`${ONE_TEXT}\``, `\`${path}\``), path)
}

/** The place of the first id that is not below `bound`; −1: there is none. */
async function placeOfAtLeast(ids: TokenBuffer, bound: number, { between }: Edge): Promise<number> {
  let before = 0
  for (const block of ids.blocks()) {
    for (let i = 0; i < block.length; i++) if (block[i] >= bound) return before + i
    before += block.length
    await between()
  }
  return -1
}

/**
 * The documents of ids that a table has rows for, exactly as given.
 * @param bound how messages name the number of rows
 * @throws InletError `token_out_of_range` naming the id, its place and the number of rows
 */
export async function idsBelow(
  ids: IdLists,
  rows: number,
  bound: string,
  field: string,
  edge: Edge,
): Promise<Documents> {
  const place = await placeOfAtLeast(ids.documents.ids, rows, edge)
  if (place < 0) return ids.documents
  const param = `${field}.${ids.pathOf(place)}`
  const message = `\`${param}\` must be below ${bound} ${rows}. Given: ${ids.at(place)}`
  throw new InletError('token_out_of_range', message, param)
}

/**
 * `token_type_ids` as documents, one type for each id of `input_ids`.
 * @throws InletError `invalid_request` where the architecture has no token types, or where the lists differ
 *   from those of `input_ids` in nesting, number or lengths; `token_out_of_range` for a type that has no row
 */
export function tokenTypesOf(
  model: Model,
  architecture: Architecture,
  inputIds: IdLists,
  types: IdLists,
  edge: Edge,
): Promise<Documents> {
  if (!architecture.steps.includes('types')) {
    const message = `\`token_type_ids\` must not be given for \`architecture\` ${architecture.name}, which has none.`
    throw new InletError('invalid_request', message, 'token_type_ids')
  }
  if (!haveOneForm(types, inputIds)) {
    throw invalidField('token_type_ids', 'must have the form of `input_ids`: a type for each id', types)
  }
  const { typeVocabSize } = model.spec
  return idsBelow(types, typeVocabSize, 'TYPE_VOCAB_SIZE', 'token_type_ids', edge)
}

function haveOneForm(a: IdLists, b: IdLists): boolean {
  const { count } = a.documents
  if (a.isList !== b.isList || count !== b.documents.count) return false
  for (let d = 0; d < count; d++) if (a.documents.length(d) !== b.documents.length(d)) return false
  return true
}
