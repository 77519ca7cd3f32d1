import type { AskedDtypes, NamedTensor } from '../tensors/named-tensor.js'
import { computedTensor } from './computed-tensor.js'
import type { Model } from './model.js'
import { positionIndices, type Table, tableOver } from './op.js'
import { type ComputedTensor, type PositionTensor, preparedTensor } from './positions/scheme.js'
import { type FillPlaces, type PositionRows, type RowSource, RUN_ELEMENTS, rowTensor } from './row-tensor.js'

/** Rows of a stream that take less memory than this are not reserved: 64 KiB. */
const LIGHT_BYTES = 1 << 16
/** Elements of computed rows that one stream keeps: 16 MiB, GPT-2's whole 1024 × 768 table five times. */
const KEPT_ELEMENTS = 1 << 22

/**
 * Makes a scheme's declared tensor one that can be served: looked up if its rows are rows of a table, else
 * computed.
 */
export function positionTensor(model: Model, tensor: PositionTensor, asked: AskedDtypes): NamedTensor {
  const source = tableOrComputed(model, tensor)
  if ('fill' in source) return computedTensor(source, asked, model.workspace)
  const { table, firstRow } = source
  return rowTensor(
    {
      ...{ name: tensor.name, shape: tensor.shape, dtype: asked.dtype, table },
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
): Pick<RowSource, 'positions' | 'drawn' | 'workBytes'> {
  const source = tableOrComputed(model, tensor)
  const [contextLength, dim] = tensor.shape
  if (!('fill' in source)) {
    const { table, firstRow } = source
    return { positions: () => rowsOfTable(table, firstRow, contextLength, fillPlaces) }
  }
  const bytes = keptRowBytes(contextLength, dim)
  return {
    positions: () => computedRows((out, start) => source.fill(out, start), contextLength, dim, fillPlaces),
    drawn: source.drawn && [source.drawn],
    workBytes: bytes > LIGHT_BYTES ? bytes : undefined,
  }
}

/** The model's table with a tensor's rows; or how they are computed, or copied from a table that is drawn for the request. */
function tableOrComputed(
  model: Model,
  tensor: PositionTensor,
): ComputedTensor | { readonly table: Table; readonly firstRow: number } {
  if (tensor.table === undefined) return tensor
  const { key, firstRow } = tensor.table
  const table = model.table(key)
  if (table !== undefined) return { table, firstRow }
  const { name, shape } = tensor
  return preparedTensor(name, shape, model.drawn(key), firstRow * shape[1])
}

export function rowsOfTable(
  positions: Table,
  positionStart: number,
  contextLength: number,
  fillPlaces?: FillPlaces,
): PositionRows {
  return {
    prepare(firstRow, count) {
      const rowIds = fillPlaces && placesOf(fillPlaces, firstRow, count)
      if (rowIds !== undefined) for (let i = 0; i < count; i++) rowIds[i] += positionStart
      return { positions, positionStart, contextLength, firstRow, rowIds }
    },
  }
}

function placesOf(fillPlaces: FillPlaces, first: number, count: number): Int32Array {
  const places = new Int32Array(count)
  fillPlaces(places, first)
  return places
}

/** Bytes that the computed rows [T, C] of one stream take: all, or those of a run. */
export function keptRowBytes(contextLength: number, dim: number): number {
  const all = contextLength * dim
  return 4 * (all <= KEPT_ELEMENTS ? all : Math.max(RUN_ELEMENTS, dim))
}

/**
 * Computed rows: `fill(out, start)` writes the row-major elements of [T, C] from `start` on. Where [T, C] is small the rows
 * are kept for the next windows, otherwise those of each range are computed again.
 */
export function computedRows(
  fill: (out: Float32Array, start: number) => void,
  contextLength: number,
  dim: number,
  fillPlaces?: FillPlaces,
): PositionRows {
  const keepsAll = contextLength * dim <= KEPT_ELEMENTS
  let values = keepsAll ? new Float32Array(contextLength * dim) : new Float32Array(0)
  let filled = 0 // rows of `values`
  let positions: Table | undefined

  /** A new tensor for more rows, or for others: a backend may have copied those of the old one. */
  function tableOf(rows: number): Table {
    positions?.tensor.dispose()
    positions = tableOver(values.subarray(0, rows * dim), 'float32', dim)
    return positions
  }

  return {
    areComputed: true,
    prepare(firstRow, count) {
      const range = { positionStart: 0, contextLength, firstRow }
      const column = firstRow % contextLength
      if (keepsAll) {
        const rowIds = fillPlaces && placesOf(fillPlaces, firstRow, count)
        const end = rowIds === undefined ? column + count : 1 + rowIds.reduce((a, b) => Math.max(a, b))
        const needed = Math.min(end, contextLength)
        if (positions !== undefined && needed <= filled) return { ...range, positions, rowIds }
        fill(values.subarray(filled * dim, needed * dim), filled * dim)
        filled = needed
        return { ...range, positions: tableOf(filled), rowIds }
      }
      if (values.length < count * dim) values = new Float32Array(count * dim)
      const places = fillPlaces ? placesOf(fillPlaces, firstRow, count) : positionIndices(count, range)
      for (let i = 0, end = 0; i < count; i = end) {
        while (++end < count && places[end] === places[end - 1] + 1) {}
        fill(values.subarray(i * dim, end * dim), places[i] * dim)
      }
      return { ...range, positions: tableOf(count), rowIds: places.map((_, i) => i) }
    },
    dispose: () => positions?.tensor.dispose(),
  }
}
