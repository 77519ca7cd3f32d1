import type { Mixture } from '../../first-layer/datasets/mixture.js'
import {
  checkMixtureRecipe,
  MAX_PLACES,
  type MixtureMember,
  mixtureBatch,
  mixtureBatches,
  openMixture,
} from '../../first-layer/datasets/mixture-batch.js'
import type { PlannedBatch } from '../../first-layer/datasets/read-batch.js'
import {
  batchesOf,
  type DatasetRecipe,
  epochOrder,
  permutationOf,
  recipeId,
} from '../../first-layer/datasets/recipe.js'
import {
  type CheckedRecipe,
  checkRecipe,
  type RecipeFields,
} from '../../first-layer/datasets/recipe-options.js'
import { corpusBatch, globalTargets } from '../../first-layer/datasets/rows.js'
import { countTargets, type Segment, type SegmentedWindows } from '../../first-layer/datasets/segments.js'
import type { Claim } from '../../service/request/claim.js'
import {
  type Dataset,
  type Datasets,
  isCorpusDataset,
  type OpenCorpus,
  type OpenMixture,
} from './datasets.js'

export interface OpenRecipe {
  readonly id: string
  readonly recipe: DatasetRecipe
  readonly range: CheckedRecipe['range']
  /** Batches of an epoch; undefined for a mixture, which does not end. */
  readonly numBatches: number | undefined
  readonly longestDocument: number
  readonly isMixture: boolean
  /** A corpus with its windows, or a mixture with those of its members. */
  readonly content: CorpusWindows | MixedMembers
  /** Keeps the datasets readable until the returned function is called. */
  hold(): () => void
  /** Trained targets of all ranks' rows in a batch, or several; undefined where no dataset has a mask. */
  targets(batchIndex: number, claim: Claim): Promise<number | undefined>
  /** A batch that is not yet read. @throws InletError `batch_out_of_range` */
  batch(batchIndex: number, claim: Claim): Promise<PlannedBatch>
}

interface CorpusWindows {
  readonly corpus: OpenCorpus
  readonly windows: SegmentedWindows
}

export interface MixedMembers {
  readonly members: readonly (MixtureMember & { readonly id: string })[]
  readonly mixture: Mixture
}

/**
 * Opens a dataset under a recipe; the windows are computed first, if no request has asked for them before.
 *
 * @throws InletError `invalid_request`, `no_windows`, `dataset_not_found`, `dataset_indexing`
 */
export function openRecipe(
  datasets: Datasets,
  dataset: Dataset,
  fields: RecipeFields,
  claim: Claim,
): Promise<OpenRecipe> {
  return isCorpusDataset(dataset)
    ? openCorpusRecipe(datasets, dataset, fields, claim)
    : openMixtureRecipe(datasets, dataset, fields, claim)
}

async function openCorpusRecipe(
  datasets: Datasets,
  corpus: OpenCorpus,
  fields: RecipeFields,
  claim: Claim,
): Promise<OpenRecipe> {
  const { card, source } = corpus
  const { recipe, range } = checkRecipe(fields, card.pad_token_id ?? undefined)
  const windows = await datasets.windows(corpus, recipe, claim)
  const numBatches = batchesOf(windows.count, recipe)
  const { sharding, world_size = 1, packing } = recipe
  const ordered = async (own: Claim) => {
    const permutation = permutationOf(windows.count, recipe, range.epoch)
    const drawn = permutation && (await datasets.permutation(card.id, permutation, own))
    return (rank: number) => epochOrder(windows.count, recipe, { ...range, rank }, drawn)
  }
  return {
    ...{ id: recipeId(card.id, recipe), recipe, range },
    numBatches,
    ...{ longestDocument: card.longest_document, isMixture: false, content: { corpus, windows } },
    hold: () => source.hold(),
    async targets(batchIndex, own) {
      if (corpus.mask === undefined) return undefined
      const ranks = sharding === 'distributed_sampler' ? world_size : 1
      const orders = Array.from({ length: ranks }, (_, rank) => rank).map(await ordered(own))
      return globalTargets(orders, recipe, { ...range, batch_index: batchIndex }, numBatches, (place, o) =>
        targetsOf(corpus, windows.segments(orders[o].at(place)), packing),
      )
    },
    async batch(batchIndex, own) {
      const order = (await ordered(own))(range.rank)
      return corpusBatch(corpus, windows, order, recipe, { ...range, batch_index: batchIndex })
    },
  }
}

async function openMixtureRecipe(
  datasets: Datasets,
  { card, stages }: OpenMixture,
  fields: RecipeFields,
  claim: Claim,
): Promise<OpenRecipe> {
  const ids = card.mixture.map(({ dataset }) => dataset)
  const corpora = await Promise.all(ids.map((id) => datasets.findCorpus(id, claim)))
  const { recipe, range } = checkMixtureRecipe(fields, corpora[0].card.pad_token_id ?? undefined)
  const windows = await Promise.all(corpora.map((corpus) => datasets.windows(corpus, recipe, claim)))
  const mixture = openMixture(stages, windows, recipe)
  const members = corpora.map((corpus, j) => ({ ...corpus, windows: windows[j], id: ids[j] }))
  return {
    ...{ id: recipeId(card.id, recipe), recipe, range, numBatches: undefined },
    longestDocument: Math.max(...corpora.map(({ documents }) => documents.longest)),
    ...{ isMixture: true, content: { members, mixture } },
    hold() {
      const held = corpora.map(({ source }) => source.hold())
      return () => {
        for (const release of held) release()
      }
    },
    async targets(batchIndex) {
      if (corpora.every(({ mask }) => mask === undefined)) return undefined
      const numBatches = mixtureBatches(recipe)
      return globalTargets(
        [{ length: MAX_PLACES }],
        recipe,
        { ...range, batch_index: batchIndex },
        numBatches,
        (place) => {
          const { dataset, window } = mixture.at(place)
          return targetsOf(corpora[dataset], windows[dataset].segments(window), recipe.packing)
        },
      )
    },
    async batch(batchIndex) {
      return mixtureBatch(mixture, members, recipe, { ...range, batch_index: batchIndex })
    },
  }
}

function targetsOf(corpus: OpenCorpus, segments: readonly Segment[], packing: string | undefined): number {
  return segments.reduce((sum, segment) => sum + countTargets(corpus, segment, packing === 'concat'), 0)
}
