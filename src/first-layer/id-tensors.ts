import type { BlockPool } from './embeddings/block-pool.js'
import { idTensor } from './embeddings/computed-tensor.js'
import type { ID_OUTPUTS } from './outputs.js'
import type { IdsDtype, NamedTensor } from './tensors/named-tensor.js'
import type { TokenBatch } from './windows/token-batch.js'

/** A tensor of ids, masks or positions of a batch. */
export interface IdOutput<Batch extends TokenBatch = TokenBatch> {
  shape(batch: Batch): readonly number[]
  /** Writes the elements from `first` on. @param offset the position of a first token */
  fill(batch: Batch, out: Int32Array, first: number, offset: number): void
  /** Absent: the type that is asked for. */
  readonly dtype?: IdsDtype
}

/** The shape [B, T]. */
export const slotsOf = ({ count, contextLength }: TokenBatch): readonly number[] => [count, contextLength]
/** The shape [B]. */
export const windowsOf = ({ count }: TokenBatch): readonly number[] => [count]

/** The tensors of every batch that need no model. */
export const BATCH_IDS: Readonly<Record<(typeof ID_OUTPUTS)[number], IdOutput>> = {
  input_ids: { shape: slotsOf, fill: (batch, out, first) => batch.fillInputIds(out, first) },
  target_ids: { shape: slotsOf, fill: (batch, out, first) => batch.fillTargetIds(out, first) },
  attention_mask: { shape: slotsOf, fill: (batch, out, first) => batch.fillAttentionMask(out, first) },
  position_ids: {
    shape: slotsOf,
    fill: (batch, out, first, offset) => batch.fillPositionIds(out, first, offset),
  },
  document_ids: { shape: windowsOf, fill: (batch, out, first) => batch.fillDocumentIds(out, first) },
  window_starts: { shape: windowsOf, fill: (batch, out, first) => batch.fillWindowStarts(out, first) },
}

/** A request's part in a tensor of ids. */
export interface AskedIds {
  readonly idsDtype: IdsDtype
  readonly positionOffset: number
}

/** Declares a tensor of ids. */
export function batchIds<Batch extends TokenBatch>(
  name: string,
  output: IdOutput<Batch>,
  batch: Batch,
  { idsDtype, positionOffset }: AskedIds,
  pool: BlockPool,
): NamedTensor {
  const shape = output.shape(batch)
  const fill = (out: Int32Array, first: number) => output.fill(batch, out, first, positionOffset)
  return idTensor({ name, shape, fill }, output.dtype ?? idsDtype, pool)
}
