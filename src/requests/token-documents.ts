import { InletError } from '../errors.js'
import type { Model } from '../first-layer/embeddings/model.js'
import type { Steps } from '../first-layer/steps.js'
import { type AskedTokens, streamOptions } from '../first-layer/tokens/allowed-special.js'
import type { StreamOptions } from '../first-layer/tokens/tokenizer.js'
import { Documents } from '../first-layer/windows/documents.js'
import { type Claim, UNBOUNDED } from '../load/claim.js'
import { drive } from '../load/drive.js'
import type { DocumentMaker, Given, GivenIds, GivenTexts, TextPieces } from '../wire/given.js'
import { aboutText } from './about-text.js'
import { idsBelow, placeOfAtLeast } from './ids-below.js'
import { listDocuments } from './list-documents.js'
import { idsOfChunks, textIds } from './text-ids.js'

const NO_TEXT: StreamOptions = { allowedSpecial: new Set() }

/** How the documents of a request are named in messages, and what their texts are made to first. */
export interface DocumentSettings {
  /** The request's fields that have texts and ids. */
  readonly fields?: { readonly texts: string; readonly ids: string }
  /** Replaces each text before it is tokenized. */
  prepared?(text: TextPieces): TextPieces
}

/** As much of a model as documents need. */
export interface TokenModel {
  readonly spec: Pick<Model['spec'], 'tokenizer' | 'vocabSize'>
}

const FIELDS = { texts: 'text', ids: 'input_ids' } as const

/** How a request's texts become ids; what it asks for beside ids is ignored. @throws InletError `invalid_request` */
export function textOptions({ spec }: Model, given: Given, asked: AskedTokens): StreamOptions {
  return given.isText ? streamOptions(spec.tokenizer, asked) : NO_TEXT
}

/**
 * Makes documents of token ids from a request's texts or ids; ids stay exactly as given.
 *
 * @throws InletError `token_out_of_range` where the model's table has no row for an id, and what chunks throw
 */
export function documentsOf(
  model: TokenModel,
  given: Given,
  options: StreamOptions,
  claim: Claim = UNBOUNDED,
  settings: DocumentSettings = {},
): Promise<Documents> {
  return given.makeDocuments(new TokenDocuments(model, options, claim, settings))
}

class TokenDocuments implements DocumentMaker<Promise<Documents>> {
  constructor(
    private readonly model: TokenModel,
    private readonly options: StreamOptions,
    private readonly claim: Claim,
    private readonly settings: DocumentSettings,
  ) {}

  async ofTexts(texts: GivenTexts): Promise<Documents> {
    const { fields: { texts: field } = FIELDS } = this.settings
    const { model, options, claim } = this
    const { tokenizer } = model.spec
    const { prepared: prepare } = this.settings
    const prepared = prepare === undefined ? texts : mapped(texts, prepare)
    if (texts.isList) {
      const documents = await drive(claim, listDocuments(Documents, tokenizer, prepared, options, field))
      return this.#checked(documents, (d) => `${field}.${d}`)
    }
    const [text] = prepared
    try {
      const ids = await drive(claim, textIds(tokenizer, text!, options))
      return this.#checked(Documents.of(ids), () => field)
    } catch (error) {
      throw aboutText(error, field)
    }
  }

  async ofChunks(chunks: AsyncIterable<Uint8Array>): Promise<Documents> {
    const { model, options, claim } = this
    const ids = await idsOfChunks(model.spec.tokenizer, chunks, options, claim)
    return this.#checked(Documents.of(ids), () => FIELDS.texts)
  }

  async ofIds(ids: GivenIds): Promise<Documents> {
    const { fields = FIELDS } = this.settings
    return drive(this.claim, idsBelow(ids, this.model.spec.vocabSize, '`vocab_size`', fields.ids))
  }

  /** Refuses a token without a row: the table may be smaller than the vocabulary. @param path of a document's text */
  #checked(documents: Documents, path: (d: number) => string): Documents | Promise<Documents> {
    const { vocabSize, tokenizer } = this.model.spec
    if (vocabSize >= tokenizer.vocabSize) return documents
    return drive(this.claim, this.#withRows(documents, vocabSize, path))
  }

  *#withRows(documents: Documents, vocabSize: number, path: (d: number) => string): Steps<Documents> {
    const place = yield* placeOfAtLeast(documents.ids, vocabSize)
    if (place < 0) return documents
    const document = documents.documentAt(place)
    const param = path(document)
    const token = `Token ${place - documents.start(document)} is ${documents.ids.at(place)}`
    const message = `\`${param}\` must give ids below \`vocab_size\` ${vocabSize}. ${token}`
    throw new InletError('token_out_of_range', message, param)
  }
}

function* mapped(texts: Iterable<TextPieces>, prepare: (text: TextPieces) => TextPieces) {
  for (const text of texts) yield prepare(text)
}
