import type { Model } from '../../../first-layer/embeddings/model.js'
import type { TokenBuffer } from '../../../first-layer/tokens/token-buffer.js'
import { type AskedTokens, streamOptions, tokenizeAsync } from '../../../first-layer/tokens/tokenize.js'
import type { StreamOptions, Tokenizer } from '../../../first-layer/tokens/tokenizer.js'
import { Documents } from '../../../first-layer/windows/documents.js'
import { IdLists } from '../../../first-layer/windows/id-lists.js'
import { InletError } from '../../answer/error-table.js'
import { type Claim, UNBOUNDED } from '../../process/claim.js'
import { turn } from '../../process/turn.js'
import { type Given, isList, type Text } from '../fields/given-field.js'
import { Reservation } from '../load/request-claim.js'
import { idsBelow, placeOfAtLeast } from './id-documents.js'

const NO_TEXT: StreamOptions = { allowedSpecial: new Set() }

export interface DocumentSettings {
  readonly fields?: { readonly texts: string; readonly ids: string }
  /** Replaces each text before it is tokenized. */
  prepared?(text: Text): Text
}

export interface TokenModel {
  readonly spec: Pick<Model['spec'], 'tokenizer' | 'vocabSize'>
}

const FIELDS = { texts: 'text', ids: 'input_ids' } as const

/** How a request's texts become ids; what it asks for beside ids is ignored. @throws InletError `invalid_request` */
export function textOptions({ spec }: Model, given: Given, asked: AskedTokens): StreamOptions {
  return given instanceof IdLists ? NO_TEXT : streamOptions(spec.tokenizer, asked)
}

/**
 * Makes documents of token ids from a request's texts or ids; ids stay exactly as given.
 * @throws InletError `token_out_of_range` where the model's table has no row for an id, and what chunks throw
 */
export async function documentsOf(
  { spec }: TokenModel,
  given: Given,
  options: StreamOptions,
  claim: Claim = UNBOUNDED,
  { fields = FIELDS, prepared = (text) => text }: DocumentSettings = {},
): Promise<Documents> {
  const { tokenizer, vocabSize } = spec
  if (given instanceof IdLists) return idsBelow(given, vocabSize, '`vocab_size`', fields.ids, claim)
  const one = (text: Text | AsyncIterable<Uint8Array>) =>
    oneDocument(tokenizer, text, options, fields.texts, claim)
  const documents = await (isChunks(given)
    ? one(given)
    : isList(given)
      ? listDocuments(Documents, tokenizer, given.map(prepared), options, fields.texts, claim)
      : one(prepared(given)))
  if (vocabSize < tokenizer.vocabSize) {
    const path = (d: number) => (Array.isArray(given) ? `${fields.texts}.${d}` : fields.texts)
    await checkRows(vocabSize, documents, path, claim)
  }
  return documents
}

async function oneDocument(
  tokenizer: Tokenizer,
  text: Text | AsyncIterable<Uint8Array>,
  options: StreamOptions,
  field: string,
  claim: Claim,
): Promise<Documents> {
  try {
    return Documents.of(await textIds(tokenizer, text, options, claim))
  } catch (error) {
    throw aboutText(error, field)
  }
}

async function checkRows(
  vocabSize: number,
  documents: Documents,
  path: (d: number) => string,
  claim: Claim,
): Promise<void> {
  const place = await placeOfAtLeast(documents.ids, vocabSize, claim)
  if (place < 0) return
  const document = documents.documentAt(place)
  const param = path(document)
  const token = `Token ${place - documents.start(document)} is ${documents.ids.at(place)}`
  const message = `\`${param}\` must give ids below \`vocab_size\` ${vocabSize}. ${token}`
  throw new InletError('token_out_of_range', message, param)
}

function isChunks(given: object | string): given is AsyncIterable<Uint8Array> {
  return typeof given === 'object' && Symbol.asyncIterator in given
}

const parts = (text: Text) => (typeof text === 'string' ? text : [text])

/** The ids of a text, made in turns, and their memory reserved. */
export async function textIds(
  tokenizer: Tokenizer,
  text: Text | AsyncIterable<Uint8Array>,
  options: StreamOptions,
  claim: Claim,
): Promise<TokenBuffer> {
  const room = new Reservation(claim)
  const between = (bytes: number) => room.reach(bytes)?.then(() => turn(claim)) ?? turn(claim)
  const ids = await tokenizeAsync(tokenizer, isChunks(text) ? text : parts(text), options, {
    ...{ between, stop: claim },
  })
  room.settle(ids.byteLength)
  return ids
}

export interface TextsUtf8 {
  readonly bytes: Buffer
  readonly starts: readonly number[]
}

/** Memory that a text takes beside its UTF-8. */
const TEXT_BYTES = 8

/** Texts as UTF-8 in one piece, whose memory is reserved. */
export async function textsUtf8(texts: readonly Text[], claim: Claim): Promise<TextsUtf8> {
  const most = texts.reduce((sum, text) => sum + Buffer.byteLength(text) + TEXT_BYTES, 0)
  await claim.take(most)
  const starts: number[] = []
  const utf8 = Buffer.allocUnsafeSlow(most)
  let length = 0
  for (const text of texts) {
    starts.push(length)
    length += typeof text === 'string' ? utf8.write(text, length) : text.copy(utf8, length)
  }
  return { bytes: utf8.subarray(0, length), starts }
}

const ONE_TEXT = 'text'

/** An error about a text, with the path of that text in the request. */
export function aboutText(error: unknown, path: string): unknown {
  if (!(error instanceof InletError) || error.param !== ONE_TEXT || path === ONE_TEXT) return error
  return new InletError(error.code, error.message.replace(`\`${ONE_TEXT}\``, `\`${path}\``), path)
}

/** `Documents`, or a class that keeps more of each document. */
interface DocumentsKind<Kind extends Documents> {
  readonly DOCUMENT_BYTES: number
  new (): Kind
}

/**
 * The documents of a list of texts: all ids one after the other, their memory reserved.
 * @param field of the list: an error about one text names `field.3`
 * @throws InletError what a tokenizer refuses a text with
 */
export async function listDocuments<Kind extends Documents>(
  kind: DocumentsKind<Kind>,
  tokenizer: Tokenizer,
  texts: readonly Text[],
  options: StreamOptions,
  field: string,
  claim: Claim,
): Promise<Kind> {
  const documents = new kind()
  const { ids } = documents
  const room = new Reservation(claim)
  const between = (bytes: number) =>
    room.reach(bytes + kind.DOCUMENT_BYTES * (documents.count + 1))?.then(() => turn(claim)) ?? turn(claim)
  try {
    for (const text of texts) {
      await tokenizeAsync(tokenizer, parts(text), options, { ids, between, stop: claim })
      documents.endDocument()
    }
  } catch (error) {
    throw aboutText(error, `${field}.${documents.count}`)
  }
  room.settle(ids.byteLength + kind.DOCUMENT_BYTES * documents.count)
  return documents
}
