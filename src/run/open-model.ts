import { createHash } from 'node:crypto'
import type { ModelCard } from '../first-layer/cards/model-card.js'
import { planEmbedding } from '../first-layer/embedding-plan.js'
import { type BackendChoice, selectBackend } from '../first-layer/embeddings/backends/select.js'
import type { Model } from '../first-layer/embeddings/model.js'
import { bytesOf } from '../first-layer/embeddings/table-memory.js'
import type { Format } from '../service/answer/formats/json.js'
import { npy } from '../service/answer/formats/npy.js'
import { safetensors } from '../service/answer/formats/safetensors.js'
import type { ModelEntry } from '../service/models/entry.js'
import { bindIn } from '../service/models/library/bind.js'
import { Library } from '../service/models/library/library.js'
import { ownTokenizers } from '../service/models/single-thread.js'
import { queryReader } from '../service/request/body/query.js'
import { rawTextOptions } from '../service/request/fields/embedding-request.js'
import type { Recipe } from './recipe.js'

/** A model whose tables all threads share. */
export interface SharedModel {
  readonly entry: ModelEntry
  readonly backend: BackendChoice
}

/** A model in one thread, and what is made with it. */
export interface OpenModel {
  readonly model: Model
  readonly plan: ReturnType<typeof planEmbedding>
  readonly format: Format
  readonly addSpecialTokens: boolean
  /** V: ids below it have a row. */
  readonly vocabSize: number
}

const readQuery = queryReader(rawTextOptions)

/** Opens the model in this thread. @throws InletError for options that do not fit the model or the format */
export async function openModel(recipe: Recipe, shared: SharedModel, thread: number): Promise<OpenModel> {
  await selectBackend(shared.backend)
  const library = new Library<Model>(bindIn(thread, ownTokenizers()))
  await library.put(shared.entry)
  const { model } = (await library.lease(shared.entry.card.id))!
  const format = recipe.to === 'npy' ? npy : safetensors
  const options = readQuery(recipe.embedding!.query)
  return {
    ...{ model, format, plan: planEmbedding(model, options, format) },
    ...{ addSpecialTokens: options.add_special_tokens ?? false, vocabSize: model.spec.vocabSize },
  }
}

/** SHA-256, in hexadecimal, of all of a model that its embeddings depend on: its card, its tables. */
export function hashOfModel({ card, version }: ModelEntry): string {
  const hash = createHash('sha256').update(JSON.stringify(decidingFacts(card)))
  for (const place of version!.tables.places) hash.update(bytesOf(version!.tables, place))
  return hash.digest('hex')
}

/** The card without its numbers, and without where they come from: a folder may be moved. */
function decidingFacts({ tokenizer, source, chat: _, revision: __, ...facts }: ModelCard): unknown {
  const drawn = source.type === 'seed' ? [String(source.seed), source.initStd] : source.type
  return [facts, 'key' in tokenizer ? tokenizer.key : tokenizer, drawn]
}
