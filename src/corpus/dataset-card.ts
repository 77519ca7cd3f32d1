import { z } from 'zod'
import type { ChatCounts } from '../first-layer/datasets/chats/chat-lines.js'
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

const text = (means: string) => z.string().describe(means)
const count = (means: string) => z.int().min(0).describe(means)

/** What callers see of every dataset. */
export const datasetFields = {
  id: text('Of the content: `ds_`, or `mx_` of a mixture, and 26 letters.'),
  name: text('A name for people.').nullable(),
  encoding: text(
    'What made its ids: an encoding, or a model with a tokenizer of its own; null: ids came as ids.',
  ).nullable(),
  created: count('Seconds since 1970.'),
}

const STORED_DTYPES = ['uint16', 'uint32'] as const satisfies readonly IdDtypeName[]

/** What they see of a corpus of ids. Cards that earlier versions wrote have not all of the ids around documents. */
export const corpusFields = {
  allowed_special: (z.any() as z.ZodType<readonly string[] | 'all' | null>).describe(
    'The special tokens that counted as such: an array of literals, or `all`; null where ids came.',
  ),
  document_start: count('The id that was put before each document.').nullable().optional(),
  document_start_literal: text('Its literal, as `<s>`.').nullable().optional(),
  document_end: count('The id that was appended to each document.').nullable(),
  document_end_literal: text('Its literal, as `<|endoftext|>`.').nullable().optional(),
  num_documents: count('Not of mixtures, as all that follows down to `created`.'),
  num_tokens: count('Ids of all documents.'),
  num_characters: count('Unicode code points; null where ids came.').nullable(),
  dtype: z.enum(STORED_DTYPES).describe('Element type of the tokens file.'),
  size_bytes: count('Bytes of its files.'),
  max_token_id: count('The highest id; null where there is none.').nullable(),
  sha256: text('Of the tokens file, in hexadecimal.'),
  mask: z
    .enum(['sampled', 'tags', 'all'])
    .optional()
    .describe('Of chats, as the next three: the law of their masks.'),
  turns: z.enum(['auto', 'whole', 'each', 'last']).optional().describe('What became a document.'),
  trailing: z.enum(['mask', 'train']).optional().describe('What follows the end of a turn.'),
}

/** A corpus of ids. */
export interface CorpusCard
  extends StoredFacts,
    Readonly<z.output<z.ZodObject<typeof datasetFields & typeof corpusFields>>> {
  readonly longest_document: number
  readonly chats?: ChatCounts
  /** The tokenizer's padding; null: recipes that can pad name their own. */
  readonly pad_token_id: number | null
}

/** The ids put before and appended to each document, with their literals; null: none, or not known. */
export type FrameFields = Pick<
  CorpusCard,
  'document_start' | 'document_start_literal' | 'document_end' | 'document_end_literal'
>

export interface MixtureCard extends StoredFacts, Readonly<z.output<z.ZodObject<typeof datasetFields>>> {
  readonly mixture: readonly { readonly dataset: string; readonly weight: number }[]
  readonly stages: readonly MixtureStage[] | null
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
