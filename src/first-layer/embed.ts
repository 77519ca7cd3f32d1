import type { Answer } from './answer.js'
import { documentsOf, textOptions, tokenTypesOf } from './documents.js'
import { type FormatRules, planEmbedding } from './embedding-plan.js'
import type { Model } from './embeddings/model.js'
import type { Given } from './given.js'
import { type EpochOrder, inputEmbeddings } from './input-embedding.js'
import type { EmbeddingOptions } from './options/embedding.js'
import { ALONE, type Edge } from './running/edge.js'
import type { Documents } from './windows/documents.js'
import type { IdLists } from './windows/id-lists.js'

/** An edge that also learns when the ids are there, and may draw the order of windows elsewhere. */
export interface EmbedEdge extends Edge {
  /** Called with all ids before windows are counted. @param milliseconds that they took */
  hasIds?(documents: Documents, milliseconds: number): Promise<void> | undefined
  readonly order?: EpochOrder
}

export interface EmbedSettings {
  /** Of the answer. Default: it carries any tensors. */
  readonly format?: FormatRules
  /** Beside ids, in their form. */
  readonly tokenTypes?: IdLists | undefined
  readonly edge?: EmbedEdge
  /** The name of `given` in messages. Default: `text` or `input_ids`. */
  readonly field?: string
}

const ANY: FormatRules = { single: false }

/**
 * `POST /v1/input-embeddings` as a function: a text, texts or ids → the tensors that the options ask for, and counts. Everything that
 * the options alone decide is refused before a text is read.
 *
 * `embed(model, 'Hello, world!', embedOptions.parse({}))` → `input_ids` [1, 4], `input_embeddings` [1, 4, C]
 *
 * @throws InletError `invalid_request`, `no_windows`, `batch_out_of_range`, `context_too_long`, `token_out_of_range`,
 *   `unsupported_combination`, and what chunks of a text throw
 */
export async function embed(
  model: Model,
  given: Given,
  options: EmbeddingOptions,
  { format = ANY, tokenTypes: types, edge = ALONE, field }: EmbedSettings = {},
): Promise<Answer> {
  const how = textOptions(model, given, options)
  const plan = planEmbedding(model, options, format)
  const tokenTypes = types && (await tokenTypesOf(model, plan.architecture, given as IdLists, types, edge))
  const started = performance.now()
  const documents = await documentsOf(model, given, how, edge, field)
  const wait = edge.hasIds?.(documents, performance.now() - started)
  if (wait !== undefined) await wait
  return inputEmbeddings(model, documents, tokenTypes ? { ...plan, tokenTypes } : plan, edge.order)
}
