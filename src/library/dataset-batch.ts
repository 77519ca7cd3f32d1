import type { RecipeFields } from '../first-layer/datasets/recipe-options.js'
import type { SegmentBatch } from '../first-layer/datasets/segment-batch.js'
import type { SegmentedWindows } from '../first-layer/datasets/segments.js'
import type { DatasetBatch, DatasetRecipeOptions, WindowsPlan } from './dataset-api.js'

/** A recipe's fields as the wire has them. */
export function fieldsOf({ shuffle, ...fields }: DatasetRecipeOptions): RecipeFields {
  return shuffle === undefined ? fields : { ...fields, shuffle: String(shuffle) as 'index' }
}

/** The tensors of a batch. */
export function batchOf(
  batch: SegmentBatch,
  recipe: string,
  epoch: number,
  batchIndex: number,
): DatasetBatch {
  const { count: B, contextLength: T } = batch
  const made = (length: number, fill: (out: Int32Array, first: number) => void) => {
    const out = new Int32Array(length)
    fill.call(batch, out, 0)
    return out
  }
  return {
    ...{ recipeId: recipe, epoch, batchIndex, shape: [B, T] },
    input_ids: made(B * T, batch.fillInputIds),
    target_ids: made(B * T, batch.fillTargetIds),
    attention_mask: made(B * T, batch.fillAttentionMask),
    position_ids: made(B * T, (out, first) => batch.fillPositionIds(out, first, 0)),
    segment_ids: made(B * T, batch.fillSegmentIds),
    cu_seq_lens: made(batch.segmentCount + 1, batch.fillCuSeqLens),
    document_ids: made(B, batch.fillDocumentIds),
    window_starts: made(B, batch.fillWindowStarts),
  }
}

/** What windows are made of, those of one dataset or of several. */
export function fillOf(all: readonly SegmentedWindows[]): WindowsPlan {
  const sum = (of: (windows: SegmentedWindows) => number) =>
    all.reduce((total, windows) => total + of(windows), 0)
  const slots = sum(({ count, contextLength }) => count * contextLength)
  const filled = sum(({ filledSlots }) => filledSlots)
  return {
    numWindows: sum(({ count }) => count),
    fill: slots === 0 ? 0 : filled / slots,
    numPadding: slots - filled,
    numDroppedTokens: sum(({ droppedTokens }) => droppedTokens),
    numSplitDocuments: sum(({ splitDocuments }) => splitDocuments),
  }
}
