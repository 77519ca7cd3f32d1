import { type Tensor, type TensorInfo, tensor1d, tidy } from '@tensorflow/tfjs-core'
import { type InputEmbeddingsAttrs, positionIndices } from '../op.js'
import type { TensorflowOps } from './tensorflow-ops.js'

/** Token rows plus position rows: [n, C], or [B, T, C] where the rows are B whole windows. */
export function rowSums(
  ops: TensorflowOps,
  table: TensorInfo,
  ids: TensorInfo,
  positions: TensorInfo | undefined,
  attrs: InputEmbeddingsAttrs,
): Tensor {
  if (positions === undefined) return ops.gather(table, ids) // [n, C]
  const { positionStart, contextLength: length, firstRow } = attrs
  const count = ids.shape[0]
  const first = firstRow % length
  if (first + count <= length) {
    const slice = ops.sliceRows(positions, positionStart + first, count) // [n, C]
    return ops.add(ops.gather(table, ids), slice)
  }
  if (first === 0 && count % length === 0) {
    const windows = ops.reshape(ids, [count / length, length]) // [B, T]
    const slice = ops.sliceRows(positions, positionStart, length) // [T, C]
    return ops.add(ops.gather(table, windows), slice) // [B, T, C]
  }
  const rows = tensor1d(positionIndices(count, positionStart, length, firstRow), 'int32') // [n]
  return ops.add(ops.gather(table, ids), ops.gather(positions, rows)) // [n, C]
}

/** The same sums where TensorFlow would lose some: it gathers, JavaScript adds. */
export function tinyRowSums(
  ops: TensorflowOps,
  table: TensorInfo,
  ids: TensorInfo,
  positions: TensorInfo,
  attrs: InputEmbeddingsAttrs,
): Float32Array {
  const { positionStart, contextLength, firstRow } = attrs
  const indices = positionIndices(ids.shape[0], positionStart, contextLength, firstRow)
  let added = new Float32Array()
  tidy(() => {
    const rows = tensor1d(indices, 'int32') // [n]
    added = ops.gather(positions, rows).dataSync() as Float32Array<ArrayBuffer> // n · C
    const tokens = ops.gather(table, ids).dataSync() as Float32Array // n · C
    for (let i = 0; i < added.length; i++) added[i] += tokens[i]
  })
  return added
}
