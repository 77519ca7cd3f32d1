import type { TokenSource } from '../first-layer/datasets/corpus.js'
import { drawPermutation, type WindowOrder } from '../first-layer/datasets/orders.js'
import {
  batchesOf,
  type DatasetRecipe,
  epochOrder,
  permutationOf,
  recipeId,
} from '../first-layer/datasets/recipe.js'
import { readRecipe } from '../first-layer/datasets/recipe-options.js'
import { batchWindows, readWindows } from '../first-layer/datasets/rows.js'
import { segmentedWindows } from '../first-layer/datasets/segmented-windows.js'
import type { SegmentedWindows } from '../first-layer/datasets/segments.js'
import { windowIndex } from '../first-layer/datasets/window-index.js'
import { windowsFill } from '../first-layer/datasets/windows-fill.js'
import { run, runAsync } from '../first-layer/steps.js'
import type { StoredBounds } from '../first-layer/windows/document-bounds.js'
import type { Dataset, DatasetBatch, DatasetPlan, DatasetRecipeOptions } from './dataset-api.js'
import { batchOf, fieldsOf } from './dataset-batch.js'
import { Turns } from './turns.js'

/** A dataset whose ids are read from memory or a file. */
export class OpenDataset implements Dataset {
  /** The windows and the epoch's order that were asked for last: a loop asks for the same again. */
  #windows: { readonly id: string; readonly windows: SegmentedWindows } | undefined
  #order: { readonly id: string; readonly order: WindowOrder } | undefined

  constructor(
    readonly documents: StoredBounds,
    readonly source: TokenSource,
    /** Of what decides its content. */
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
    const { recipe } = readRecipe(fieldsOf(options))
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
    const { recipe, range } = readRecipe(fieldsOf(options))
    const id = recipeId(this.name, recipe)
    const windows = this.windows(recipe, id)
    const orderId = `${id} ${range.epoch} ${recipe.sharding === 'distributed_sampler' ? range.rank : ''}`
    if (this.#order?.id !== orderId) {
      const permutation = permutationOf(windows.count, recipe, range.epoch)
      const drawn = permutation && run(drawPermutation(permutation))
      this.#order = { id: orderId, order: epochOrder(windows.count, recipe, range, drawn) }
    }
    const asked = { ...range, batchIndex }
    const chosen = await runAsync(batchWindows(this.#order.order, recipe, windows.count, asked))
    const batch = await runAsync(readWindows(this.source, this.documents, windows, recipe, chosen))
    return batchOf(batch, id, range.epoch, batchIndex)
  }

  async *batches(options: DatasetRecipeOptions, from = 0): AsyncGenerator<DatasetBatch, void, void> {
    const { numBatches } = this.plan(options)
    const step = options.num_batches ?? 1
    const turns = new Turns()
    for (let batch = from; batch < numBatches; batch += step) {
      await turns.take()
      yield await this.batch(batch, options)
    }
  }

  /** The windows under a recipe; those that were asked for last are kept. */
  windows(recipe: DatasetRecipe, id = recipeId(this.name, recipe)): SegmentedWindows {
    if (this.#windows?.id !== id) {
      const index = run(windowIndex(this.documents, recipe))
      this.#windows = { id, windows: segmentedWindows(this.documents, recipe, index) }
    }
    return this.#windows.windows
  }
}
