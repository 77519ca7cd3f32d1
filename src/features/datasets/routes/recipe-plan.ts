import type { Mixture } from '../../../first-layer/datasets/mixture.js'
import {
  type SegmentedWindows,
  type TrainedFacts,
  windowsFill,
} from '../../../first-layer/datasets/segments.js'
import type { OpenRecipe } from '../recipes.js'

/** The plan of a recipe, as `GET /v1/datasets/{dataset}/batches` answers it. */
export function planOf(dataset: string, open: OpenRecipe): object {
  const { id, recipe, members, mixture, longestDocument, numBatches } = open
  const { shuffle, seed, stride = recipe.context_length, tail = 'drop', pad_token_id = null } = recipe
  const fields = {
    ...{ ...recipe, stride, tail, pad_token_id },
    shuffle: shuffle === 'index' ? 'index' : shuffle === 'true',
    seed: seed === undefined ? null : Number.isSafeInteger(Number(seed)) ? Number(seed) : String(seed),
  }
  const all = members.map(({ windows }) => windows)
  const { numWindows, fill, numPadding, numDroppedTokens, numSplitDocuments } = windowsFill(all)
  const numTokens = members.reduce((sum, { documents }) => sum + documents.totalTokens, 0)
  const { num_documents, document_end } = members[0].card
  const lacksEnds = !mixture && recipe.packing === 'concat' && num_documents > 1 && document_end === null
  const notes = [lacksEnds && NO_END, droppedNote(numDroppedTokens, numTokens, recipe)]
  return {
    ...{ dataset, recipe: fields, recipe_id: id, num_windows: numWindows },
    ...(numBatches !== undefined && {
      num_batches: numBatches,
      num_dropped_windows: droppedWindows(numWindows, numBatches, open),
    }),
    ...{ fill, num_padding: numPadding, num_dropped_tokens: numDroppedTokens },
    ...{ num_split_documents: numSplitDocuments, shares: mixture && sharesOf(members, mixture) },
    ...trained(all),
    longest_document: longestDocument,
    note: notes.filter(Boolean).join(' ') || undefined,
  }
}

const NO_END =
  'Under packing concat documents stand one behind the other, and no end token was appended to them: upload with document_end, unless the ids have one.'

/** Said where more than a hundredth of the tokens is in no window. */
function droppedNote(
  dropped: number,
  numTokens: number,
  { packing, long_documents: long }: OpenRecipe['recipe'],
): string | undefined {
  if (dropped <= numTokens / 100) return undefined
  const share = ((100 * dropped) / numTokens).toFixed(1)
  const packed = long === 'split' ? 'they have no target' : 'long_documents split keeps them'
  return `${share} % of the tokens, ${dropped} of ${numTokens}, are in no window: ${packing === 'best_fit' ? packed : 'packing best_fit or tail pad keeps all, packing concat all but the last few'}.`
}

/** What masks, and dropping documents, make of windows; nothing where not all have a mask. */
function trained(all: readonly SegmentedWindows[]) {
  const isMasked = all.every(({ numTargetTokens }) => numTargetTokens !== undefined)
  const sum = (name: keyof TrainedFacts) =>
    isMasked || all.some((each) => each[name] !== undefined)
      ? all.reduce((total, each) => total + (each[name] ?? 0), 0)
      : undefined
  return {
    num_target_tokens: sum('numTargetTokens'),
    num_untrained_pieces: sum('untrainedPieces'),
    num_dropped_documents: sum('droppedDocuments'),
  }
}

function droppedWindows(count: number, numBatches: number, { recipe }: OpenRecipe): number {
  const { batch_size, world_size, sharding, drop_last } = recipe
  if (!drop_last) return 0
  const given = numBatches * batch_size * (sharding === 'distributed_sampler' ? world_size : 1)
  return Math.max(0, count - given)
}

function sharesOf(members: OpenRecipe['members'], mixture: Mixture) {
  return members.map(({ card, windows }, j) => ({
    dataset: card.id,
    num_windows: windows.count,
    windows_per_block: mixture.shares.map((stage) => stage[j]),
    first_epoch_ends_at: mixture.firstEpochEnd(j) ?? null,
  }))
}
