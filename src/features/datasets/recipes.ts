import type { Mixture } from '../../first-layer/datasets/mixture.js'
import {
  checkMixtureRecipe,
  type MixtureMember,
  mixtureBatch,
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
import { corpusBatch } from '../../first-layer/datasets/rows.js'
import type { SegmentedWindows } from '../../first-layer/datasets/segments.js'
import type { Claim } from '../../service/process/claim.js'
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
  /** Whether a dataset has a mask. */
  readonly isMasked: boolean
  /** A batch that is not yet read. @param part another rank's, or all ranks' @throws InletError `batch_out_of_range` */
  batch(batchIndex: number, claim: Claim, part?: Partial<Ranks>): Promise<PlannedBatch>
}

type Ranks = Pick<CheckedRecipe['range'], 'rank'> & Pick<DatasetRecipe, 'world_size'>

/** Trained targets of all ranks' rows in a batch, or in several: what a loss over ranks is divided by. */
export async function globalTargets(
  { recipe, batch }: OpenRecipe,
  batchIndex: number,
  claim: Claim,
): Promise<number> {
  const { sharding, world_size: worldSize = 1 } = recipe
  if (sharding !== 'distributed_sampler')
    return (await batch(batchIndex, claim, { rank: 0, world_size: 1 })).targets()
  let sum = 0
  for (let rank = 0; rank < worldSize; rank++)
    sum += await (await batch(batchIndex, claim, { rank })).targets()
  return sum
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
  return {
    ...{ id: recipeId(card.id, recipe), recipe, range, isMasked: corpus.mask !== undefined },
    numBatches: batchesOf(windows.count, recipe),
    ...{ longestDocument: card.longest_document, isMixture: false, content: { corpus, windows } },
    hold: () => source.hold(),
    async batch(batchIndex, own, part = {}) {
      const permutation = permutationOf(windows.count, recipe, range.epoch)
      const drawn = permutation && (await datasets.permutation(card.id, permutation, own))
      const asked = { ...range, ...part, batch_index: batchIndex }
      const order = epochOrder(windows.count, recipe, asked, drawn)
      return corpusBatch(corpus, windows, order, { ...recipe, ...part }, asked)
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
    isMasked: corpora.some(({ mask }) => mask !== undefined),
    longestDocument: Math.max(...corpora.map(({ documents }) => documents.longest)),
    ...{ isMixture: true, content: { members, mixture } },
    hold() {
      const held = corpora.map(({ source }) => source.hold())
      return () => {
        for (const release of held) release()
      }
    },
    async batch(batchIndex, _, part = {}) {
      return mixtureBatch(
        mixture,
        members,
        { ...recipe, ...part },
        { ...range, ...part, batch_index: batchIndex },
      )
    },
  }
}
