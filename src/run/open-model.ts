import { createHash } from 'node:crypto'
import { bindModel } from '../checkpoints/bind-model.js'
import type { ModelCard } from '../first-layer/cards/model-card.js'
import { Tokenizers } from '../first-layer/cards/tokenizers.js'
import { type FormatRules, planEmbedding } from '../first-layer/embedding-plan.js'
import { type BackendChoice, selectBackend } from '../first-layer/embeddings/backends/select.js'
import type { Model } from '../first-layer/embeddings/model.js'
import { bytesOf, type SharedTables } from '../first-layer/embeddings/table-memory.js'
import { countMemory } from '../first-layer/kernels/shared-memory.js'
import type { EmbeddingOptions } from '../first-layer/options/embedding.js'
import { COMMON_OUTPUTS, OUTPUTS_WITH_LOOKUPS } from '../first-layer/outputs.js'
import { noNpyType } from '../first-layer/tensors/npy.js'
import { RustLibrary } from '../first-layer/tokens/rust/rust-library.js'
import { MASK_OUTPUTS } from '../first-layer/windows/batch.js'
import type { Recipe } from './recipe.js'

/** A model whose tables all threads share, and the options of its embeddings: it can be posted. */
export interface SharedModel {
  readonly card: ModelCard
  readonly tables: SharedTables
  readonly version: string
  readonly backend: BackendChoice
  readonly options: EmbeddingOptions & { readonly add_special_tokens?: boolean | undefined }
}

/** A model in one thread, and what is made with it. */
export type OpenModel = Awaited<ReturnType<typeof openRunModel>>

const RULES: Readonly<Record<'npy' | 'safetensors', FormatRules>> = {
  npy: { single: true, refuses: noNpyType },
  safetensors: { single: false },
}

const NAMES = {
  known: [...OUTPUTS_WITH_LOOKUPS, ...MASK_OUTPUTS],
  common: [...COMMON_OUTPUTS, ...MASK_OUTPUTS],
}

/** Opens the model in this thread. */
export async function openModel(shared: Omit<SharedModel, 'options'>, thread: number): Promise<Model> {
  const { card, tables, version } = shared
  await selectBackend(shared.backend)
  countMemory(tables.memory)
  const tokenizer = await new Tokenizers(new RustLibrary()).of(card)
  return bindModel(card, tables, tokenizer, { thread, version })
}

/** The model of a run in this thread. @throws InletError for options that do not fit the model or the format */
export async function openRunModel(recipe: Recipe, shared: SharedModel, thread: number) {
  const { options } = shared
  const model = await openModel(shared, thread)
  const to = recipe.to === 'npy' ? 'npy' : 'safetensors'
  return {
    ...{ model, to, plan: planEmbedding(model, options, RULES[to], to === 'npy' ? {} : NAMES) },
    ...{ addSpecialTokens: options.add_special_tokens ?? false, vocabSize: model.spec.vocabSize },
  }
}

/** SHA-256, in hexadecimal, of all of a model that its embeddings depend on: its card, its tables. */
export function hashOfModel({ card, tables }: Pick<SharedModel, 'card' | 'tables'>): string {
  const hash = createHash('sha256').update(JSON.stringify(decidingFacts(card)))
  for (const place of tables.places) hash.update(bytesOf(tables, place))
  return hash.digest('hex')
}

/** The card without its numbers, and without where they come from: a folder may be moved. */
function decidingFacts({ tokenizer, source, chat: _, revision: __, ...facts }: ModelCard): unknown {
  const drawn = source.type === 'seed' ? [String(source.seed), source.initStd] : source.type
  return [facts, 'key' in tokenizer ? tokenizer.key : tokenizer, drawn]
}
