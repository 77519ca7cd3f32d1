import { InletError } from '../errors.js'
import type { Model } from '../first-layer/embeddings/model.js'
import { type AskedTokens, streamOptions } from '../first-layer/tokens/allowed-special.js'
import { GrowingIds } from '../first-layer/tokens/growing-ids.js'
import type { StreamOptions } from '../first-layer/tokens/tokenizer.js'
import { Documents } from '../first-layer/windows/documents.js'
import { type Claim, UNBOUNDED } from '../load/claim.js'
import { Reservation } from '../load/reservation.js'
import { Pace } from '../turn.js'
import type { DocumentMaker, Given, GivenIds, GivenTexts, TextPieces } from '../wire/given.js'
import { idsBelow, placeOfAtLeast } from './ids-below.js'
import { idsOfChunks, textIds } from './text-ids.js'

/** Bytes of memory that a document takes beside its ids. */
const DOCUMENT_BYTES = 8

const NO_TEXT: StreamOptions = { allowedSpecial: new Set() }

/** How the documents of a request are named in messages, and what their texts are made to first. */
export interface DocumentSettings {
  /** The request's fields that have texts and ids. */
  readonly fields?: { readonly texts: string; readonly ids: string }
  /** Replaces each text before it is tokenized. */
  prepared?(text: TextPieces): TextPieces
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
  model: Model,
  given: Given,
  options: StreamOptions,
  claim: Claim = UNBOUNDED,
  settings: DocumentSettings = {},
): Promise<Documents> {
  return given.makeDocuments(new TokenDocuments(model, options, claim, settings))
}

class TokenDocuments implements DocumentMaker<Promise<Documents>> {
  constructor(
    private readonly model: Model,
    private readonly options: StreamOptions,
    private readonly claim: Claim,
    private readonly settings: DocumentSettings,
  ) {}

  async ofTexts(texts: GivenTexts): Promise<Documents> {
    const { fields: { texts: field } = FIELDS } = this.settings
    if (texts.isList) return this.#checked(await this.#ofList(texts), (d) => `${field}.${d}`)
    const [text] = texts
    return this.#checked(Documents.of(await this.#idsOf(text!)), () => field)
  }

  async ofChunks(chunks: AsyncIterable<Uint8Array>): Promise<Documents> {
    const { model, options, claim } = this
    const ids = await idsOfChunks(model.spec.tokenizer, chunks, options, claim)
    return this.#checked(Documents.of(ids), () => FIELDS.texts)
  }

  ofIds(ids: GivenIds): Promise<Documents> {
    const { fields = FIELDS } = this.settings
    return idsBelow(ids, this.model.spec.vocabSize, '`vocab_size`', fields.ids, this.claim)
  }

  /** All texts' ids in one list. */
  async #ofList(texts: Iterable<TextPieces>): Promise<Documents> {
    const { claim } = this
    const growing = new GrowingIds()
    const room = new Reservation(claim)
    const pace = new Pace(claim)
    const documents = new Documents(growing.ids)
    for (const text of texts) {
      if (pace.isOver) await pace.nextTurn()
      const wait = room.reach(DOCUMENT_BYTES * (documents.count + 1))
      if (wait !== undefined) await wait
      await this.#idsOf(text, growing)
      documents.endDocument()
    }
    claim.give(growing.settle())
    room.settle(DOCUMENT_BYTES * documents.count)
    return documents
  }

  #idsOf(text: TextPieces, into?: GrowingIds) {
    const prepared = this.settings.prepared?.(text) ?? text
    return textIds(this.model.spec.tokenizer, prepared, this.options, this.claim, into)
  }

  /** Refuses a token without a row: the table may be smaller than the vocabulary. @param path of a document's text */
  #checked(documents: Documents, path: (d: number) => string): Documents | Promise<Documents> {
    const { vocabSize, tokenizer } = this.model.spec
    return vocabSize >= tokenizer.vocabSize ? documents : this.#withRows(documents, vocabSize, path)
  }

  async #withRows(documents: Documents, vocabSize: number, path: (d: number) => string): Promise<Documents> {
    const place = await placeOfAtLeast(documents.ids, vocabSize, this.claim)
    if (place < 0) return documents
    const document = documents.documentAt(place)
    const param = path(document)
    const token = `Token ${place - documents.start(document)} is ${documents.ids.at(place)}`
    const message = `\`${param}\` must give ids below \`vocab_size\` ${vocabSize}. ${token}`
    throw new InletError('token_out_of_range', message, param)
  }
}
