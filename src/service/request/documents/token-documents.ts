import type { Model } from '../../../first-layer/embeddings/model.js'
import { Reserved } from '../../../first-layer/memory.js'
import { type Claim, drive, UNBOUNDED } from '../../../first-layer/running/drive.js'
import { PAUSE, type Steps } from '../../../first-layer/steps.js'
import { GrowingIds, type TokenBuffer } from '../../../first-layer/tokens/token-buffer.js'
import {
  type AskedTokens,
  streamOptions,
  TextWriter,
  tokenizeBytes,
  tokenizeText,
} from '../../../first-layer/tokens/tokenize.js'
import type { StreamOptions, Tokenizer } from '../../../first-layer/tokens/tokenizer.js'
import { Documents } from '../../../first-layer/windows/documents.js'
import { IdLists } from '../../../first-layer/windows/id-lists.js'
import { InletError } from '../../answer/error-table.js'
import { type Given, isList, type Text } from '../fields/given-field.js'
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
  if (given instanceof IdLists) return drive(claim, idsBelow(given, vocabSize, '`vocab_size`', fields.ids))
  const documents =
    typeof given === 'object' && Symbol.asyncIterator in given
      ? Documents.of(await idsOfChunks(tokenizer, given, options, claim))
      : await drive(
          claim,
          isList(given)
            ? listDocuments(Documents, tokenizer, given.map(prepared), options, fields.texts)
            : oneDocument(tokenizer, prepared(given), options, fields.texts),
        )
  if (vocabSize < tokenizer.vocabSize) {
    const path = (d: number) => (Array.isArray(given) ? `${fields.texts}.${d}` : fields.texts)
    await drive(claim, checkRows(vocabSize, documents, path))
  }
  return documents
}

function* oneDocument(
  tokenizer: Tokenizer,
  text: Text,
  options: StreamOptions,
  field: string,
): Steps<Documents> {
  try {
    return Documents.of(yield* textIds(tokenizer, text, options))
  } catch (error) {
    throw aboutText(error, field)
  }
}

function* checkRows(vocabSize: number, documents: Documents, path: (d: number) => string): Steps<void> {
  const place = yield* placeOfAtLeast(documents.ids, vocabSize)
  if (place < 0) return
  const document = documents.documentAt(place)
  const param = path(document)
  const token = `Token ${place - documents.start(document)} is ${documents.ids.at(place)}`
  const message = `\`${param}\` must give ids below \`vocab_size\` ${vocabSize}. ${token}`
  throw new InletError('token_out_of_range', message, param)
}

/** Memory that a text takes beside its UTF-8. */
const TEXT_BYTES = 8

export function textIds(
  tokenizer: Tokenizer,
  text: Text,
  options: StreamOptions,
  into?: GrowingIds,
): Steps<TokenBuffer> {
  return typeof text === 'string'
    ? tokenizeText(tokenizer, text, options, into)
    : tokenizeBytes(tokenizer, [text], options, into)
}

export async function idsOfChunks(
  tokenizer: Tokenizer,
  chunks: AsyncIterable<Uint8Array>,
  options: StreamOptions,
  claim: Claim,
): Promise<TokenBuffer> {
  const writer = new TextWriter(tokenizer, options)
  for await (const chunk of chunks) await drive(claim, writer.write(chunk))
  return drive(claim, writer.end())
}

export interface TextsUtf8 {
  readonly bytes: Buffer
  readonly starts: readonly number[]
}

/** Texts as UTF-8 in one piece, whose memory is reserved. */
export function* textsUtf8(texts: readonly Text[]): Steps<TextsUtf8> {
  const starts: number[] = []
  let most = 0
  for (const text of texts) {
    yield PAUSE
    most += Buffer.byteLength(text) + TEXT_BYTES
  }
  yield most
  const utf8 = Buffer.allocUnsafeSlow(most)
  let length = 0
  for (const text of texts) {
    yield PAUSE
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
  new (ids: TokenBuffer): Kind
}

/**
 * The documents of a list of texts: all ids one after the other, their memory reserved.
 * @param field of the list: an error about one text names `field.3`
 * @throws InletError what a tokenizer refuses a text with
 */
export function* listDocuments<Kind extends Documents>(
  kind: DocumentsKind<Kind>,
  tokenizer: Tokenizer,
  texts: readonly Text[],
  options: StreamOptions,
  field: string,
): Steps<Kind> {
  const growing = new GrowingIds()
  const room = new Reserved()
  const documents = new kind(growing.ids)
  try {
    for (const text of texts) {
      yield PAUSE
      yield room.reach(kind.DOCUMENT_BYTES * (documents.count + 1))
      yield* textIds(tokenizer, text, options, growing)
      documents.endDocument()
    }
  } catch (error) {
    throw aboutText(error, `${field}.${documents.count}`)
  }
  yield -growing.settle()
  yield -room.settle(kind.DOCUMENT_BYTES * documents.count)
  return documents
}
