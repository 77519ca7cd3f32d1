import type { FloatDtype, NamedTensor } from '../named-tensor.js'
import { computedTensor } from './computed-tensor.js'
import type { Model } from './model.js'
import { computedRows, type PositionRows, rowsOfTable } from './position-rows.js'
import type { PositionTensor } from './positions/scheme.js'
import { rowTensor } from './row-tensor.js'

/** A scheme's tensor as one that is served: looked up where its rows are a table's own, computed otherwise. */
export function positionTensor(model: Model, tensor: PositionTensor, dtype: FloatDtype): NamedTensor {
  if (tensor.table === undefined) return computedTensor(tensor, dtype, model.workspace)
  const { key, firstRow } = tensor.table
  return rowTensor(
    {
      name: tensor.name,
      shape: tensor.shape,
      dtype,
      table: model.table(key),
      contextLength: tensor.shape[0],
      fillIds(ids, first) {
        for (let i = 0; i < ids.length; i++) ids[i] = firstRow + first + i
      },
    },
    model.workspace,
  )
}

/** An additive scheme's rows [T, C], ready to be added to token rows. */
export function positionRows(model: Model, tensor: PositionTensor): () => PositionRows {
  if (tensor.table === undefined) {
    const [contextLength, dim] = tensor.shape
    return () => computedRows((out, start) => tensor.fill(out, start), contextLength, dim)
  }
  const { key, firstRow } = tensor.table
  return () => rowsOfTable(model.table(key), firstRow)
}
