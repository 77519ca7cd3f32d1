import { type Member, planBatch } from '../first-layer/datasets/batch.js'
import { Mixture, stageShares } from '../first-layer/datasets/mixture.js'
import {
  checkMixtureRecipe,
  mixtureContentId,
  mixtureStages,
  mixtureStream,
} from '../first-layer/datasets/mixture-batch.js'
import { recipeId } from '../first-layer/datasets/recipe.js'
import type { DatasetRecipe } from '../first-layer/datasets/recipe-options.js'
import { type SegmentedWindows, windowsFill } from '../first-layer/datasets/segments.js'
import { invalidField } from '../first-layer/errors.js'
import type { DatasetMixture, MixtureMemberOptions, MixtureStageOptions } from './dataset-api.js'
import { batchOf, OpenDataset, readFields } from './open-dataset.js'
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
  const names = datasets.map(({ name }) => name)
  const content = mixtureContentId(names, checked)
  const shares = stageShares(checked)
  /** The stream of the last recipe: a loop uses the same one again. */
  let last: Stream | undefined
  const streamOf = (recipe: DatasetRecipe): Stream => {
    const id = recipeId(content, recipe)
    if (last?.id === id) return last
    const opened = datasets.map((dataset) => {
      const { documents, source } = dataset
      return { documents, source, windows: dataset.windows(recipe) }
    })
    const windows = opened.map((member) => member.windows)
    last = { id, members: opened, mixture: new Mixture(shares, windows, recipe) }
    return last
  }
  const batch: DatasetMixture['batch'] = async (batchIndex, options) => {
    const recipe = checkMixtureRecipe(readFields(options))
    const { id, members, mixture } = streamOf(recipe)
    const made = await planBatch(members, mixtureStream(mixture, recipe), recipe, batchIndex).read()
    const dataset_index = new Int32Array(made.count)
    made.fill('dataset_index', dataset_index, 0)
    return { ...batchOf(made, id, recipe.epoch, batchIndex), dataset_index }
  }
  return {
    plan(options) {
      const { id, members, mixture } = streamOf(checkMixtureRecipe(readFields(options)))
      return {
        recipeId: id,
        ...windowsFill(members.map(({ windows }) => windows)),
        longestDocument: Math.max(...datasets.map(({ documents }) => documents.longest)),
        shares: members.map(({ windows }, j) => ({
          numWindows: windows.count,
          windowsPerBlock: mixture.shares.map((stage) => stage[j]),
          firstEpochEndsAt: mixture.firstEpochEnd(j) ?? null,
        })),
      }
    },
    batch,
    async *batches(options, from = 0) {
      for (let at = from; ; at += options.num_batches ?? 1) {
        await takeTurn()
        yield await batch(at, options)
      }
    },
  }
}

interface Stream {
  readonly id: string
  readonly members: readonly (Member & { readonly windows: SegmentedWindows })[]
  readonly mixture: Mixture
}

function opened(dataset: unknown, param: string): OpenDataset {
  if (dataset instanceof OpenDataset) return dataset
  throw invalidField(param, 'must be a dataset of datasetFromFile or datasetFromIds', typeof dataset)
}
