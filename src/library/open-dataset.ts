import { planBatch } from '../first-layer/datasets/batch.js'
import { drawPermutation } from '../first-layer/datasets/orders.js'
import {
  batchesOf,
  epochStream,
  permutationOf,
  recipeId,
  type WindowStream,
} from '../first-layer/datasets/recipe.js'
import { checkRecipe, type DatasetRecipe, recipeSchema } from '../first-layer/datasets/recipe-options.js'
import type { SegmentBatch, SegmentName } from '../first-layer/datasets/segment-batch.js'
import { type SegmentedWindows, type TokenSource, windowsFill } from '../first-layer/datasets/segments.js'
import { segmentedWindows, windowIndex } from '../first-layer/datasets/window-index.js'
import { parse } from '../first-layer/options/parse.js'
import type { StoredBounds } from '../first-layer/windows/documents.js'
import type { Dataset, DatasetBatch, DatasetPlan } from './dataset-api.js'
import type { DatasetRecipeOptions } from './options.js'
import { takeTurn } from './turns.js'

/** A dataset whose ids are read from memory or a file. */
export class OpenDataset implements Dataset {
  /** The windows and the epoch's order that were asked for last: a loop asks for the same again. */
  #windows: { readonly id: string; readonly windows: SegmentedWindows } | undefined
  #order: { readonly id: string; readonly stream: WindowStream } | undefined

  constructor(
    readonly documents: StoredBounds,
    readonly source: TokenSource,
    /** A name for its content: a path, or a digest of the ids. */
    readonly name: string,
    readonly close: () => Promise<void>,
  ) {}

  get numDocuments(): number {
    return this.documents.count
  }

  get numTokens(): number {
    return this.documents.totalTokens
  }

  plan(options: DatasetRecipeOptions): DatasetPlan {
    const recipe = checkRecipe(readFields(options))
    const id = recipeId(this.name, recipe)
    const windows = this.windows(recipe, id)
    return {
      recipeId: id,
      ...windowsFill([windows]),
      numBatches: batchesOf(windows.count, recipe),
      longestDocument: this.documents.longest,
    }
  }

  async batch(batchIndex: number, options: DatasetRecipeOptions): Promise<DatasetBatch> {
    const recipe = checkRecipe(readFields(options))
    const { epoch, sharding, rank } = recipe
    const id = recipeId(this.name, recipe)
    const windows = this.windows(recipe, id)
    const orderId = `${id} ${epoch} ${sharding === 'distributed_sampler' ? rank : ''}`
    if (this.#order?.id !== orderId) {
      const permutation = permutationOf(windows.count, recipe)
      const drawn = permutation && drawPermutation(permutation)
      this.#order = { id: orderId, stream: epochStream(windows.count, recipe, drawn) }
    }
    const { documents, source } = this
    const planned = planBatch([{ documents, source, windows }], this.#order.stream, recipe, batchIndex)
    return batchOf(await planned.read(), id, epoch, batchIndex)
  }

  async *batches(options: DatasetRecipeOptions, from = 0): AsyncGenerator<DatasetBatch, void, void> {
    const { numBatches } = this.plan(options)
    const step = options.num_batches ?? 1
    for (let batch = from; batch < numBatches; batch += step) {
      await takeTurn()
      yield await this.batch(batch, options)
    }
  }

  /** The windows under a recipe; those that were asked for last are kept. */
  windows(recipe: DatasetRecipe, id = recipeId(this.name, recipe)): SegmentedWindows {
    if (this.#windows?.id !== id) {
      const index = windowIndex(this.documents, recipe)
      this.#windows = { id, windows: segmentedWindows(this.documents, recipe, index) }
    }
    return this.#windows.windows
  }
}

/** A recipe's fields, where `shuffle` may be a boolean. @throws InletError `invalid_request` */
export function readFields({ shuffle, ...fields }: DatasetRecipeOptions): DatasetRecipe {
  return parse(recipeSchema, shuffle === undefined ? fields : { ...fields, shuffle: String(shuffle) })
}

export function batchOf(
  batch: SegmentBatch,
  recipe: string,
  epoch: number,
  batchIndex: number,
): DatasetBatch {
  const { count: B, contextLength: T } = batch
  const made = (name: SegmentName, length = B * T) => {
    const out = new Int32Array(length)
    batch.fill(name, out, 0)
    return out
  }
  return {
    ...{ recipeId: recipe, epoch, batchIndex, shape: [B, T] },
    input_ids: made('input_ids'),
    target_ids: made('target_ids'),
    attention_mask: made('attention_mask'),
    position_ids: made('position_ids'),
    segment_ids: made('segment_ids'),
    cu_seq_lens: made('cu_seq_lens', batch.segmentCount + 1),
    document_ids: made('document_ids', B),
    window_starts: made('window_starts', B),
  }
}
