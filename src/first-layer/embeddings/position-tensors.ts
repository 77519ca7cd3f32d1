import { largeFloat32Array } from '../memory.js'
import type { AskedDtypes, NamedTensor } from '../tensors/named-tensor.js'
import { computedTensor } from './computed-tensor.js'
import type { Model } from './model.js'
import { type Table, tableOver } from './op.js'
import type { ComputedTensor, PositionTensor, TableTensor } from './positions/scheme.js'
import { preparedTensor } from './positions/scheme.js'
import { type FillPlaces, type PositionRows, type RowSource, rowTensor } from './row-tensor.js'

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
export function positionRows(model: Model, tensor: PositionTensor, fillPlaces?: FillPlaces): AddedRows {
  if (tensor.table === undefined) return computedPositions(tensor, fillPlaces)
  const { key, firstRow } = tensor.table
  const table = model.table(key)
  if (table === undefined) return computedPositions(drawnRows(model, tensor), fillPlaces)
  const rows = () => rowsOfTable(table, firstRow)
  return { positions: fillPlaces ? () => packedRows(rows(), fillPlaces) : rows }
}

type AddedRows = Pick<RowSource, 'positions' | 'drawn' | 'workBytes'>

/** Rows of a table that the model does not hold: copied from the table that is drawn for the request. */
function drawnRows(model: Model, { table: { key, firstRow }, ...tensor }: TableTensor): ComputedTensor {
  const numbers = model.drawn(key)
  return preparedTensor(tensor.name, tensor.shape, numbers, firstRow * tensor.shape[1])
}

function computedPositions(tensor: ComputedTensor, fillPlaces: FillPlaces | undefined): AddedRows {
  const [contextLength, dim] = tensor.shape
  const bytes = keptRowBytes(contextLength, dim)
  return {
    positions() {
      const fill = (out: Float32Array, start: number) => tensor.fill(out, start)
      if (fillPlaces === undefined) return computedRows(fill, contextLength, dim)
      return packedComputedRows(fill, contextLength, dim, fillPlaces)
    },
    drawn: tensor.drawn && [tensor.drawn],
    workBytes: bytes > LIGHT_BYTES ? bytes : undefined,
  }
}

/** Elements of computed rows that one stream keeps: 16 MiB, GPT-2's whole 1024 × 768 table five times. */
const KEPT_ELEMENTS = 1 << 22
/** Elements computed in one step: an element can cost a sine. */
const STEP_ELEMENTS = 1 << 13

export function rowsOfTable(table: Table, firstRow: number): PositionRows {
  return { prepare: (_first, count) => ({ positions: table, positionStart: firstRow, count }), dispose() {} }
}

/** Position rows of packed windows: the first rows of `rows`, from each segment's start on. */
function packedRows(rows: PositionRows, fillPlaces: FillPlaces): PositionRows {
  return {
    prepare(first, wanted) {
      const rowIds = new Int32Array(wanted)
      fillPlaces(rowIds, first)
      let needed = 0
      for (let i = 0; i < wanted; i++) needed = Math.max(needed, rowIds[i] + 1)
      const { positions, positionStart, count } = rows.prepare(0, needed)
      for (let i = 0; i < wanted; i++) rowIds[i] += positionStart
      return { positions, positionStart, count: count < needed ? 0 : wanted, rowIds }
    },
    dispose: () => rows.dispose(),
  }
}

/** Rows of a window that are kept at a time: all T where they are small. */
function keptRows(contextLength: number, dim: number): number {
  if (contextLength * dim <= KEPT_ELEMENTS) return contextLength
  return Math.max(1, Math.floor(STEP_ELEMENTS / dim))
}

/** Whether all T rows of a stream are kept. */
function keepsAllRows(contextLength: number, dim: number): boolean {
  return keptRows(contextLength, dim) === contextLength
}

/** Bytes that the computed rows [T, C] of one stream take. */
export function keptRowBytes(contextLength: number, dim: number): number {
  return keptRows(contextLength, dim) * dim * Float32Array.BYTES_PER_ELEMENT
}

/**
 * Computed rows: `fill(out, start)` writes the row-major elements of [T, C] from `start` on. Where [T, C] is
 * small the rows are kept for the next windows, otherwise they are computed again for each block.
 */
export function computedRows(
  fill: (out: Float32Array, start: number) => void,
  contextLength: number,
  dim: number,
): PositionRows {
  const capacity = keptRows(contextLength, dim)
  const keepsAll = keepsAllRows(contextLength, dim)
  const values = largeFloat32Array(capacity * dim)
  let base = 0 // the row of the window that `values` begins with
  let filled = 0 // elements of `values`
  let positions = tensorOver(0)

  function fillTo(length: number): void {
    fill(values.subarray(filled, length), base * dim + filled)
    filled = length
    const rows = Math.floor(length / dim)
    if (rows === positions.tensor.shape[0]) return
    // A new tensor: a backend may have copied the rows of the old one.
    positions.tensor.dispose()
    positions = tensorOver(rows)
  }

  function tensorOver(rows: number): Table {
    return tableOver(values.subarray(0, rows * dim), 'float32', dim)
  }

  return {
    prepare(first, count) {
      const column = first % contextLength
      if (!keepsAll && column !== base) {
        base = column
        filled = 0
        positions.tensor.dispose() // a backend may have copied what it stood for
        positions = tensorOver(0)
      }
      const needed = Math.min(column + count, contextLength, base + capacity) // the row after the last one
      const length = (needed - base) * dim
      if (filled < length) fillTo(Math.min(length, filled + STEP_ELEMENTS))
      const isThere = filled >= length
      const until = base + Math.floor(filled / dim)
      const ready = isThere ? (keepsAll ? count : needed - column) : Math.max(0, until - column)
      return { positions, positionStart: -base, count: ready }
    },
    dispose: () => positions.tensor.dispose(),
  }
}

/** Computed rows of packed windows: where [T, C] is not small, those of one step alone, one after the other. */
function packedComputedRows(
  fill: (out: Float32Array, start: number) => void,
  contextLength: number,
  dim: number,
  fillPlaces: FillPlaces,
): PositionRows {
  if (keepsAllRows(contextLength, dim)) return packedRows(computedRows(fill, contextLength, dim), fillPlaces)
  const values = largeFloat32Array(keptRows(contextLength, dim) * dim)
  let positions: Table | undefined
  return {
    prepare(first, wanted) {
      const count = Math.min(wanted, values.length / dim)
      const rowIds = new Int32Array(count)
      fillPlaces(rowIds, first)
      for (let i = 0, end = 0; i < count; i = end) {
        while (++end < count && rowIds[end] === rowIds[end - 1] + 1) {}
        fill(values.subarray(i * dim, end * dim), rowIds[i] * dim)
      }
      for (let i = 0; i < count; i++) rowIds[i] = i
      // A new tensor: a backend may have copied the rows of the old one.
      positions?.tensor.dispose()
      positions = tableOver(values.subarray(0, count * dim), 'float32', dim)
      return { positions, positionStart: 0, count, rowIds }
    },
    dispose: () => positions?.tensor.dispose(),
  }
}
