import type { RecipeFields } from '../first-layer/datasets/recipe-options.js'
import type { SegmentBatch } from '../first-layer/datasets/segment-batch.js'
import type { DatasetBatch, DatasetRecipeOptions } from './dataset-api.js'

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
