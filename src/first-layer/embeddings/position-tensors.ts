import type { AskedDtypes, NamedTensor } from '../tensors/named-tensor.js'
import { computedTensor } from './computed-tensor.js'
import type { Model } from './model.js'
import {
  computedRows,
  type FillPlaces,
  keptRowBytes,
  packedComputedRows,
  packedRows,
  rowsOfTable,
} from './position-rows.js'
import type { ComputedTensor, PositionTensor, TableTensor } from './positions/scheme.js'
import { type RowSource, rowTensor } from './row-tensor.js'

/** Rows of a stream that take less memory than this are not reserved: 64 KiB. */
const LIGHT_BYTES = 1 << 16

/**
 * Makes a scheme's declared tensor one that can be served: looked up if its rows are rows of a table, else
 * computed.
 */
export function positionTensor(model: Model, tensor: PositionTensor, asked: AskedDtypes): NamedTensor {
  if (tensor.table === undefined) return computedTensor(tensor, asked, model.workspace)
  const { key, firstRow } = tensor.table
  const table = model.table(key)
  if (table === undefined) return computedTensor(drawnRows(model, tensor), asked, model.workspace)
  return rowTensor(
    {
      name: tensor.name,
      shape: tensor.shape,
      dtype: asked.dtype,
      table,
      contextLength: tensor.shape[0],
      fillIds(ids, first) {
        for (let i = 0; i < ids.length; i++) ids[i] = firstRow + first + i
      },
    },
    model.workspace,
  )
}

/**
 * An additive scheme's rows [T, C], in the form in which a row tensor adds them to token rows.
 *
 * @param fillPlaces of packed windows; absent: the rows are the same for each window
 */
export function positionRows(
  model: Model,
  tensor: PositionTensor,
  fillPlaces?: FillPlaces,
): Pick<RowSource, 'positions' | 'prepare'> {
  if (tensor.table === undefined) return computedPositions(tensor, fillPlaces)
  const { key, firstRow } = tensor.table
  const table = model.table(key)
  if (table === undefined) return computedPositions(drawnRows(model, tensor), fillPlaces)
  const rows = () => rowsOfTable(table, firstRow)
  return { positions: fillPlaces ? () => packedRows(rows(), fillPlaces) : rows, prepare: undefined }
}

/** Rows of a table that the model does not hold: copied from the table that is drawn for the request. */
function drawnRows(model: Model, { table: { key, firstRow }, ...tensor }: TableTensor): ComputedTensor {
  const numbers = model.drawn(key)
  const first = firstRow * tensor.shape[1]
  return {
    ...tensor,
    prepare: numbers.prepare,
    fill: (out, start) => out.set(numbers().subarray(first + start, first + start + out.length)),
  }
}

function computedPositions(
  tensor: ComputedTensor,
  fillPlaces: FillPlaces | undefined,
): Pick<RowSource, 'positions' | 'prepare'> {
  const [contextLength, dim] = tensor.shape
  const bytes = keptRowBytes(contextLength, dim)
  const isLight = tensor.prepare === undefined && bytes <= LIGHT_BYTES
  return {
    positions() {
      const fill = (out: Float32Array, start: number) => tensor.fill(out, start)
      if (fillPlaces === undefined) return computedRows(fill, contextLength, dim)
      return packedComputedRows(fill, contextLength, dim, fillPlaces)
    },
    prepare: isLight
      ? undefined
      : function* () {
          yield bytes
          if (tensor.prepare !== undefined) yield* tensor.prepare()
        },
  }
}
