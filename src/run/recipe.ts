import { createHash } from 'node:crypto'
import type { TokenizerCard } from '../first-layer/cards/model-card.js'
import { contentId } from '../first-layer/datasets/recipe.js'
import type { END_OF_TEXT } from '../service/corpus/upload-fields.js'

export const TARGETS = ['ids', 'bin', 'megatron', 'safetensors', 'npy'] as const
export type Target = (typeof TARGETS)[number]

/** Whether such outputs hold tensors of embeddings, else ids. */
export function holdsTensors(to: string | undefined): to is 'safetensors' | 'npy' {
  return to === 'safetensors' || to === 'npy'
}

/** The tokenizer of a run: plain data that can be posted to a thread. */
export interface RunTokenizer {
  readonly card: TokenizerCard
  /** The encoding's name; of a folder's tokenizer its model's id. */
  readonly encoding: string
  /** Null: none. Undefined: the tokenizer's own end of text, if it has one. */
  readonly padTokenId?: number | null | undefined
}

/** How each output is made, the same in all threads: plain data. */
export interface Recipe {
  readonly to: Target
  /** Documents of plain text: the whole file, or each line that is not empty. */
  readonly documents: 'one' | 'lines'
  /** The member of a JSON line that has its text. */
  readonly textColumn: string
  /** An id appended to each document, or the tokenizer's own end of text. */
  readonly documentEnd?: number | typeof END_OF_TEXT | undefined
  /** Special tokens whose literal becomes their id; undefined: the tokenizer's default. */
  readonly allowedSpecial?: 'all' | readonly string[] | undefined
  /** Element type of ids in a file without a header; undefined: by the tokenizer's number of ids. */
  readonly dtype?: 'uint16' | 'uint32' | undefined
  readonly tokenizer: RunTokenizer
  readonly embedding?: EmbeddingRecipe | undefined
}

interface EmbeddingRecipe {
  /** The options, as the query string of `POST /v1/input-embeddings`. */
  readonly query: string
  /** SHA-256 of the model's card and tables. */
  readonly model: string
}

/** Changes when the bytes that a recipe makes do: earlier outputs are then made again. */
const VERSION = 1

/** 26 letters of all that decides an output's bytes beside its input. */
export function runRecipeId({ tokenizer, ...fields }: Recipe): string {
  const { card, encoding, padTokenId = null } = tokenizer
  const identity = [encoding, 'key' in card ? card.key : card.type, padTokenId]
  const deciding = [
    VERSION,
    fields.to,
    fields.documents,
    fields.textColumn,
    fields.documentEnd ?? null,
    fields.allowedSpecial ?? null,
    fields.dtype ?? null,
    identity,
    fields.embedding ?? null,
  ]
  return idOf(deciding)
}

/** 26 letters of a list of plain values: a part of the SHA-256 of its JSON. */
export function idOf(values: readonly unknown[]): string {
  return contentId(createHash('sha256').update(JSON.stringify(values)).digest())
}
