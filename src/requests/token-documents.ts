import { InletError } from '../errors.js'
import type { Model } from '../first-layer/embeddings/model.js'
import { GrowingIds } from '../first-layer/tokens/growing-ids.js'
import type { StreamOptions } from '../first-layer/tokens/tokenizer.js'
import { Documents } from '../first-layer/windows/documents.js'
import { type Claim, UNBOUNDED } from '../load/claim.js'
import { Reservation } from '../load/reservation.js'
import { Pace } from '../turn.js'
import type { IdLists } from '../wire/id-lists.js'
import type { TextPieces } from '../wire/json/long-text.js'
import { placeOfAtLeast } from './large-ids.js'
import { idsOfChunks, textIds } from './text-ids.js'

/** Bytes of memory that a document takes beside its ids. */
const DOCUMENT_BYTES = 8

/**
 * One text as a document of token ids.
 *
 * @param field the request's field that has the text, for messages
 * @throws InletError `token_out_of_range` where the model's table is smaller than the encoding
 */
export async function documentOfText(
  model: Model,
  text: string | TextPieces,
  options: StreamOptions,
  claim: Claim = UNBOUNDED,
  field = 'text',
): Promise<Documents> {
  const ids = await textIds(model.spec.encoding, text, options, claim)
  const documents = Documents.of(ids)
  if (isSmaller(model)) await checkTokens(model, documents, () => field, claim)
  return documents
}

/**
 * Texts as documents of token ids, all in one list.
 *
 * @param field the request's field that has the texts, for messages
 * @throws InletError `token_out_of_range` where the model's table is smaller than the encoding
 */
export async function documentsOfTexts(
  model: Model,
  texts: Iterable<string | TextPieces>,
  options: StreamOptions,
  claim: Claim = UNBOUNDED,
  field = 'text',
): Promise<Documents> {
  const growing = new GrowingIds()
  const room = new Reservation(claim)
  const pace = new Pace(claim)
  const documents = new Documents(growing.ids)
  for (const text of texts) {
    if (pace.isOver) await pace.nextTurn()
    const wait = room.reach(DOCUMENT_BYTES * (documents.count + 1))
    if (wait !== undefined) await wait
    await textIds(model.spec.encoding, text, options, claim, growing)
    documents.endDocument()
  }
  claim.give(growing.settle())
  room.settle(DOCUMENT_BYTES * documents.count)
  if (isSmaller(model)) await checkTokens(model, documents, (d) => `${field}.${d}`, claim)
  return documents
}

/**
 * One text that comes as chunks of UTF-8, as a document. The whole text is never in memory.
 *
 * @throws InletError `token_out_of_range`, and what the chunks throw
 */
export async function documentOfBytes(
  model: Model,
  chunks: AsyncIterable<Uint8Array>,
  options: StreamOptions,
  claim: Claim = UNBOUNDED,
): Promise<Documents> {
  const ids = await idsOfChunks(model.spec.encoding, chunks, options, claim)
  const documents = Documents.of(ids)
  if (isSmaller(model)) await checkTokens(model, documents, () => 'text', claim)
  return documents
}

/** Whether the table has fewer rows than the encoding has ids. */
function isSmaller({ spec }: Model): boolean {
  return spec.vocabSize < spec.encoding.vocabSize
}

/** @throws InletError `token_out_of_range` for the first token that has no row */
async function checkTokens(
  model: Model,
  documents: Documents,
  path: (d: number) => string,
  claim: Claim,
): Promise<void> {
  const { vocabSize } = model.spec
  const place = await placeOfAtLeast(documents.ids, vocabSize, claim)
  if (place < 0) return
  const document = documents.documentAt(place)
  const param = path(document)
  const token = `Token ${place - documents.start(document)} is ${documents.ids.at(place)}`
  const message = `\`${param}\` must give ids below \`vocab_size\` ${vocabSize}. ${token}`
  throw new InletError('token_out_of_range', message, param)
}

/**
 * Ids as documents, exactly as given. One list is one document.
 *
 * @throws InletError `token_out_of_range` naming the id, its place and V
 */
export async function documentsOfIds(
  model: Model,
  lists: IdLists,
  claim: Claim = UNBOUNDED,
  field = 'input_ids',
): Promise<Documents> {
  const { vocabSize } = model.spec
  const place = await placeOfAtLeast(lists.documents.ids, vocabSize, claim)
  if (place < 0) return lists.documents
  const param = `${field}.${lists.pathOf(place)}`
  const message = `\`${param}\` must be below \`vocab_size\` ${vocabSize}. Given: ${lists.at(place)}`
  throw new InletError('token_out_of_range', message, param)
}
