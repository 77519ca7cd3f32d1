import type { MixedMembers, OpenRecipe } from '../../../datasets/recipes.js'
import { type DatasetRecipeQuery, recipeOf } from '../../../wire/schemas/dataset-recipe.js'

/** What a recipe will give, as `GET /v1/datasets/{dataset}/batches` answers it. */
export function planOf(dataset: string, open: OpenRecipe, query: DatasetRecipeQuery): object {
  const { id, recipe, content, longestDocument } = open
  const { contextLength, padTokenId } = recipe
  const asked = recipeOf(query)
  const fields = {
    ...asked,
    shuffle: asked.shuffle === 'index' ? 'index' : asked.shuffle === 'true',
    stride: asked.stride ?? contextLength,
    tail: asked.tail ?? 'drop',
    pad_token_id: padTokenId ?? null,
    seed: asked.seed === undefined ? null : shownSeed(asked.seed),
  }
  const head = { dataset, recipe: fields, recipe_id: id }
  if ('mixture' in content)
    return { ...head, ...mixturePlan(content, contextLength), longest_document: longestDocument }
  const { windows } = content
  const numBatches = open.numBatches ?? 0
  const slots = windows.count * contextLength
  return {
    ...head,
    num_windows: windows.count,
    num_batches: numBatches,
    num_dropped_windows: droppedWindows(windows.count, numBatches, open),
    fill: slots === 0 ? 0 : windows.filledSlots / slots,
    num_padding: slots - windows.filledSlots,
    num_dropped_tokens: windows.droppedTokens,
    num_split_documents: windows.splitDocuments,
    longest_document: longestDocument,
  }
}

/** Windows that no batch of any rank holds. */
function droppedWindows(count: number, numBatches: number, { recipe }: OpenRecipe): number {
  const { batchSize, worldSize = 1, sharding, dropLast } = recipe
  if (!dropLast) return 0
  const given = numBatches * batchSize * (sharding === 'distributed_sampler' ? worldSize : 1)
  return Math.max(0, count - given)
}

function mixturePlan({ members, mixture }: MixedMembers, contextLength: number): object {
  const sum = (of: (windows: MixedMembers['members'][number]['windows']) => number) =>
    members.reduce((total, { windows }) => total + of(windows), 0)
  const slots = sum(({ count }) => count) * contextLength
  const filled = sum(({ filledSlots }) => filledSlots)
  return {
    num_windows: sum(({ count }) => count),
    fill: slots === 0 ? 0 : filled / slots,
    num_padding: slots - filled,
    num_dropped_tokens: sum(({ droppedTokens }) => droppedTokens),
    num_split_documents: sum(({ splitDocuments }) => splitDocuments),
    shares: members.map(({ id, windows }, j) => ({
      dataset: id,
      num_windows: windows.count,
      windows_per_block: mixture.shares.map((stage) => stage[j]),
      first_epoch_ends_at: mixture.firstEpochEnd(j) ?? null,
    })),
  }
}

/** A seed as a number where that is exact. */
function shownSeed(seed: number | string | bigint): number | string {
  const number = Number(seed)
  return Number.isSafeInteger(number) ? number : String(seed)
}
