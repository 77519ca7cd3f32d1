import type { MaskLaw } from '../first-layer/datasets/chats/chat-documents.js'
import type { ChatCounts } from '../first-layer/datasets/chats/chat-lines.js'
import type { Turns } from '../first-layer/datasets/chats/turn-spans.js'
import type { IdDtypeName } from '../first-layer/datasets/id-dtypes.js'
import type { MixtureStage } from '../first-layer/datasets/mixture.js'
import type { TokenMask } from '../first-layer/datasets/token-mask.js'

export const LAYOUT = 1

/** The fields of `dataset.json` beside those that callers see. */
interface StoredFacts {
  readonly layout: typeof LAYOUT
  /** The caller who uploaded it; null: the service had no keys. */
  readonly owner: string | null
  /** All callers who uploaded the same content and have not deleted it, if there are several. */
  readonly owners?: readonly (string | null)[]
}

export function ownersOf({ owner, owners = [owner] }: StoredFacts): readonly (string | null)[] {
  return owners
}

/** The ids put before and appended to each document, with their literals; null: none, or not known. */
export interface FrameFields {
  readonly document_end: number | null
  // Absent in cards that earlier versions wrote:
  readonly document_start?: number | null
  readonly document_end_literal?: string | null
  readonly document_start_literal?: string | null
}

/** A corpus of ids: the members that callers see, under their names there, and a few that they do not. */
export interface CorpusCard extends StoredFacts, FrameFields {
  readonly id: string
  readonly name: string | null
  /** The encoding, or the model whose tokenizer made the ids; null: ids alone were uploaded. */
  readonly encoding: string | null
  readonly allowed_special: readonly string[] | 'all' | null
  readonly num_documents: number
  readonly num_tokens: number
  /** Null if ids were uploaded. */
  readonly num_characters: number | null
  readonly dtype: Exclude<IdDtypeName, 'int32'>
  /** Bytes of all its files. */
  readonly size_bytes: number
  readonly max_token_id: number | null
  /** The tokens file's hash, in hexadecimal. */
  readonly sha256: string
  /** Unix time in seconds. */
  readonly created: number
  readonly longest_document: number
  // Of a dataset of chats:
  readonly mask?: MaskLaw
  readonly turns?: Turns
  readonly trailing?: 'mask' | 'train'
  readonly chats?: ChatCounts
  /** The tokenizer's padding; null: recipes that can pad name their own. */
  readonly pad_token_id: number | null
}

export interface MixtureCard extends StoredFacts {
  readonly id: string
  readonly name: string | null
  readonly encoding: string | null
  readonly mixture: readonly { readonly dataset: string; readonly weight: number }[]
  readonly stages: readonly MixtureStage[] | null
  readonly created: number
}

export type DatasetCard = CorpusCard | MixtureCard

export function isMixture(card: DatasetCard): card is MixtureCard {
  return 'mixture' in card
}

/** The place of datasets: in DATA_DIR, or until the process ends (in a temporary folder). */
export type Stored = 'disk' | 'memory'

/** A dataset as callers see it. */
export function describeDataset(card: DatasetCard, stored: Stored): object {
  const { layout: _, owner: __, owners: ___, id, ...fields } = card
  const hidden = { longest_document: undefined, pad_token_id: undefined }
  const stages = isMixture(card) ? (card.stages ?? undefined) : undefined
  return { id, object: 'dataset', ...fields, ...hidden, stages, stored }
}

export interface CorpusContent {
  readonly card: CorpusCard
  /** Each document's start, and then the end of the last one; shared by all threads. */
  readonly starts: Float64Array
  readonly path: string
  /** Of a dataset of chats; shared by all threads. */
  readonly mask?: TokenMask
  /** Lines of the last documents, as their file has them; absent: no document has one. Shared by all threads. */
  readonly lines?: Uint32Array
}

/** The line of a document in the upload that made its dataset, from 1; undefined: it is not known. */
export function lineOf({ card, lines }: CorpusContent, document: number): number | undefined {
  return lines && (lines[document - card.num_documents + lines.length] ?? document + 1)
}

export type DatasetContent = CorpusContent | { readonly card: MixtureCard }
