import { type PlannedBatch, planBatch } from '../../first-layer/datasets/batch.js'
import { Mixture } from '../../first-layer/datasets/mixture.js'
import { checkMixtureRecipe, mixtureStream } from '../../first-layer/datasets/mixture-batch.js'
import { batchesOf, epochStream, permutationOf, recipeId } from '../../first-layer/datasets/recipe.js'
import { checkRecipe, type DatasetRecipe } from '../../first-layer/datasets/recipe-options.js'
import { shown } from '../../service/answer/error-table.js'
import type { Claim } from '../../service/process/turn.js'
import { type Datasets, isCorpusDataset } from './datasets.js'
import { DatasetError } from './errors.js'
import { type DatasetRecipeQuery, recipeOf } from './schemas/requests.js'

/** A dataset under a recipe. */
export type OpenRecipe = Awaited<ReturnType<typeof openRecipe>>

/** Trained targets of all ranks' rows in a batch, or in several: what a loss over ranks is divided by. */
export async function globalTargets(
  { recipe, batch }: OpenRecipe,
  batchIndex: number,
  claim: Claim,
): Promise<number> {
  const { sharding, world_size: worldSize } = recipe
  if (sharding !== 'distributed_sampler')
    return (await batch(batchIndex, claim, { rank: 0, world_size: 1 })).targets()
  let sum = 0
  for (let rank = 0; rank < worldSize; rank++)
    sum += await (await batch(batchIndex, claim, { rank })).targets()
  return sum
}

/**
 * Opens a dataset under a recipe; the windows are computed first, if no request has asked for them before.
 *
 * @throws InletError `invalid_request`, `no_windows`, `dataset_not_found`, `dataset_indexing`, `recipe_mismatch`
 */
export async function openRecipe(
  datasets: Datasets,
  datasetId: string,
  query: DatasetRecipeQuery,
  claim: Claim,
) {
  const dataset = await datasets.find(datasetId, claim)
  const isMixture = !isCorpusDataset(dataset)
  const ids = isMixture ? dataset.card.mixture.map((member) => member.dataset) : []
  const corpora = isMixture ? await Promise.all(ids.map((id) => datasets.findCorpus(id, claim))) : [dataset]
  const check = isMixture ? checkMixtureRecipe : checkRecipe
  const recipe = check(recipeOf(query), corpora[0].card.pad_token_id ?? undefined)
  const windows = await Promise.all(corpora.map((corpus) => datasets.windows(corpus, recipe, claim)))
  const mixture = isMixture ? new Mixture(dataset.stages, windows, recipe) : undefined
  const members = corpora.map((corpus, j) => ({ ...corpus, windows: windows[j] }))
  const numBatches = isMixture ? undefined : batchesOf(windows[0].count, recipe)
  const id = recipeId(datasetId, recipe)
  const { recipe_id: asked = id } = query
  if (asked !== id) {
    const message = `\`recipe_id\` must be that of the recipe, ${id}. Given: ${shown(asked)}`
    throw new DatasetError('recipe_mismatch', message, 'recipe_id')
  }
  return {
    ...{ id, recipe, mixture, isMixture },
    /** Batches of an epoch; undefined for a mixture, which does not end. */
    numBatches,
    /** A corpus with its windows, or the members of a mixture. */
    members,
    longestDocument: Math.max(...corpora.map(({ documents }) => documents.longest)),
    isMasked: corpora.some(({ mask }) => mask !== undefined),
    /** Keeps the datasets readable until the returned function is called. */
    hold() {
      const held = corpora.map(({ source }) => source.hold())
      return () => {
        for (const release of held) release()
      }
    },
    /** A batch that is not yet read. @param part another rank's, or all ranks' @throws InletError `batch_out_of_range` */
    async batch(batchIndex: number, own: Claim, part?: Partial<DatasetRecipe>): Promise<PlannedBatch> {
      const asked = { ...recipe, ...part }
      if (mixture !== undefined) return planBatch(members, mixtureStream(mixture, asked), asked, batchIndex)
      const [{ count }] = windows
      const permutation = permutationOf(count, asked)
      const drawn = permutation && (await datasets.permutation(datasetId, permutation, own))
      return planBatch(members, epochStream(count, asked, drawn), asked, batchIndex)
    },
  }
}
