import { type Member, planBatch } from '../first-layer/datasets/batch.js'
import type { Mixture } from '../first-layer/datasets/mixture.js'
import { stageShares } from '../first-layer/datasets/mixture.js'
import {
  checkMixtureRecipe,
  mixtureContentId,
  mixtureStages,
  mixtureStream,
  openMixture,
} from '../first-layer/datasets/mixture-batch.js'
import { type DatasetRecipe, recipeId } from '../first-layer/datasets/recipe.js'
import { type SegmentedWindows, windowsFill } from '../first-layer/datasets/segments.js'
import { InletError } from '../first-layer/errors.js'
import type {
  DatasetMixture,
  MixtureBatch,
  MixtureMemberOptions,
  MixturePlan,
  MixtureStageOptions,
} from './dataset-api.js'
import { batchOf, OpenDataset, readFields } from './open-dataset.js'
import type { DatasetRecipeOptions } from './options.js'
import { takeTurn } from './turns.js'

/**
 * A mixture of datasets: an endless stream in blocks of 1,024 windows, each of which holds each dataset's share
 * exactly. A dataset continues after its last window of the block before, epoch after epoch; a stage changes the
 * shares.
 *
 * `mixtureOf([{ dataset: datasetFromIds([[5]]), weight: 3 }, { dataset: datasetFromIds([[7]]), weight: 1 }]).plan({ context_length: 1, batch_size: 1, tail: 'pad', pad_token_id: 0 }).shares[0].windowsPerBlock` → `[768]`
 *
 * @param members 1 to 64 datasets of one encoding, with their weights
 * @param stages weights that change at a window of the stream
 * @throws InletError `invalid_request` that names the field, as `mixture.0.weight`
 */
export function mixtureOf(
  members: readonly MixtureMemberOptions[],
  stages?: readonly MixtureStageOptions[],
): DatasetMixture {
  const checked = mixtureStages(members, stages)
  const datasets = members.map(({ dataset }, j) => opened(dataset, `mixture.${j}.dataset`))
  const id = mixtureContentId(
    datasets.map(({ name }) => name),
    checked,
  )
  return new OpenMixture(id, datasets, stageShares(checked))
}

function opened(dataset: unknown, param: string): OpenDataset {
  if (dataset instanceof OpenDataset) return dataset
  const message = `\`${param}\` must be a dataset of datasetFromFile or datasetFromIds. Given: ${typeof dataset}`
  throw new InletError('invalid_request', message, param)
}

interface Stream {
  readonly id: string
  readonly members: readonly (Member & { readonly windows: SegmentedWindows })[]
  readonly mixture: Mixture
}

class OpenMixture implements DatasetMixture {
  /** The stream of the last recipe: a loop uses the same one again. */
  #stream: Stream | undefined

  constructor(
    private readonly id: string,
    private readonly datasets: readonly OpenDataset[],
    private readonly stages: Parameters<typeof openMixture>[0],
  ) {}

  plan(options: DatasetRecipeOptions): MixturePlan {
    const { id, members, mixture } = this.#open(checkMixtureRecipe(readFields(options)).recipe)
    return {
      recipeId: id,
      ...windowsFill(members.map(({ windows }) => windows)),
      longestDocument: Math.max(...this.datasets.map(({ documents }) => documents.longest)),
      shares: members.map(({ windows }, j) => ({
        numWindows: windows.count,
        windowsPerBlock: mixture.shares.map((stage) => stage[j]),
        firstEpochEndsAt: mixture.firstEpochEnd(j) ?? null,
      })),
    }
  }

  async batch(batchIndex: number, options: DatasetRecipeOptions): Promise<MixtureBatch> {
    const { recipe, range } = checkMixtureRecipe(readFields(options))
    const { id, members, mixture } = this.#open(recipe)
    const asked = { ...range, batch_index: batchIndex }
    const batch = await planBatch(members, mixtureStream(mixture, recipe), recipe, asked).read()
    const dataset_index = new Int32Array(batch.count)
    batch.fillDatasetIndex(dataset_index, 0)
    return { ...batchOf(batch, id, range.epoch, batchIndex), dataset_index }
  }

  async *batches(options: DatasetRecipeOptions, from = 0): AsyncGenerator<MixtureBatch, void, void> {
    const step = options.num_batches ?? 1
    for (let batch = from; ; batch += step) {
      await takeTurn()
      yield await this.batch(batch, options)
    }
  }

  #open(recipe: DatasetRecipe): Stream {
    const id = recipeId(this.id, recipe)
    if (this.#stream?.id !== id) {
      const members = this.datasets.map((dataset) => ({
        documents: dataset.documents,
        source: dataset.source,
        windows: dataset.windows(recipe),
      }))
      const windows = members.map((member) => member.windows)
      this.#stream = { id, members, mixture: openMixture(this.stages, windows, recipe) }
    }
    return this.#stream
  }
}
