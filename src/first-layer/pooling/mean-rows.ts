import type { Steps } from '../steps.js'
import { type IdSource, rowSum, type SummedTable } from './row-sum.js'

/**
 * The mean of rows of a table, float32 [C]: rows are added in the order of the ids, in float32, and the sum is divided
 * once. These are the bits of NumPy's `E[ids].mean(axis=0)` and of PyTorch's `EmbeddingBag`. No ids → zeros.
 */
export function* meanOfRows(table: SummedTable, ids: IdSource): Steps<Float32Array> {
  const sum = new Float32Array(table.table.tensor.shape[1])
  const count = yield* rowSum(sum, table, ids)
  if (count > 1) for (let c = 0; c < sum.length; c++) sum[c]! /= count
  return sum
}
