import { type Tensor, type TensorInfo, tensor1d } from '@tensorflow/tfjs-core'
import { type InputEmbeddingsAttrs, positionIndices } from '../op.js'
import type { TensorflowOps } from './tensorflow-ops.js'
import type { WideRows } from './tensorflow-rows.js'

/** Token rows plus position rows: [n, C], or [B, T, C] if the rows are B whole windows. Call it inside `tidy`. */
export function rowSums(
  ops: TensorflowOps,
  table: WideRows,
  ids: TensorInfo,
  positions: WideRows | undefined,
  attrs: InputEmbeddingsAttrs,
): Tensor {
  if (positions === undefined) return table.gather(ids) // [n, C]
  const { positionStart, contextLength: length, firstRow } = attrs
  const count = ids.shape[0]
  const first = firstRow % length
  if (first + count <= length) {
    const slice = positions.slice(positionStart + first, count) // [n, C]
    return ops.add(table.gather(ids), slice)
  }
  if (first === 0 && count % length === 0) {
    const windows = ops.reshape(ids, [count / length, length]) // [B, T]
    const slice = positions.slice(positionStart, length) // [T, C]
    return ops.add(table.gather(windows), slice) // [B, T, C]
  }
  const rows = tensor1d(positionIndices(count, positionStart, length, firstRow), 'int32') // [n]
  return ops.add(table.gather(ids), positions.gather(rows)) // [n, C]
}

/** {@link rowSums} for subnormal sums, which TensorFlow makes 0: TensorFlow gathers, JavaScript adds. */
export function tinyRowSums(
  table: WideRows,
  ids: TensorInfo,
  positions: WideRows,
  { positionStart, contextLength, firstRow }: InputEmbeddingsAttrs,
): Float32Array {
  const indices = positionIndices(ids.shape[0], positionStart, contextLength, firstRow)
  const added = positions.gather(tensor1d(indices, 'int32')).dataSync<'float32'>() // n · C
  const tokens = table.gather(ids).dataSync<'float32'>() // n · C
  for (let i = 0; i < added.length; i++) added[i] += tokens[i]
  return added
}
