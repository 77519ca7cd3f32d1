import type { Tensor2D } from '@tensorflow/tfjs-core'
import { elementCount, type FloatDtype, ITEM_BYTES, type NamedTensor } from '../named-tensor.js'
import { addRows } from './architectures/row-steps.js'
import { lookUp, positionIndices } from './op.js'
import type { PositionRows, PreparedPositions } from './position-rows.js'
import { MAX_BLOCK_ROWS, type Workspace } from './workspace.js'

/** A tensor of looked-up rows: what is looked up, what is added, what is done to them. */
export interface RowSource {
  readonly name: string
  /** Ends in C; the axes before it, flattened, are the rows. */
  readonly shape: readonly number[]
  readonly dtype: FloatDtype
  /** [V, C] */
  readonly table: Tensor2D
  /** T: after so many rows the positions start again. */
  readonly contextLength: number
  /** Writes the ids of the rows `first … first + ids.length − 1`. */
  fillIds(ids: Int32Array, first: number): void
  /** Position rows to add, made anew for each stream. */
  positions?(): PositionRows
  /** An architecture's work on the token rows, before the positions are added. Absent, both are one pass. */
  beforePositions?(rows: Float32Array, first: number): void
  /** An architecture's work on the sums. */
  afterPositions?(rows: Float32Array, first: number): void
}

/** Rows of a table as a tensor that flows: each block is one run of the embedding op. */
export function rowTensor(source: RowSource, workspace: Workspace): NamedTensor {
  const { name, shape, dtype } = source
  return { name, dtype, shape, blocks: () => rowBlocks(source, workspace) }
}

/** Stands here and not in the tensor: a generator function that is made anew costs more than a small tensor. */
async function* rowBlocks(source: RowSource, workspace: Workspace): AsyncGenerator<Uint8Array, void, void> {
  const { shape, dtype } = source
  const dim = shape[shape.length - 1]
  const totalRows = elementCount(shape) / dim
  const fitting = Math.floor(workspace.blockBytes / (dim * Float32Array.BYTES_PER_ELEMENT))
  const blockRows = Math.min(fitting, MAX_BLOCK_ROWS, totalRows)
  const { bytes, release } = workspace.lease(blockRows * dim * ITEM_BYTES[dtype])
  const positions = source.positions?.()
  try {
    for (let first = 0; first < totalRows; ) {
      const wanted = Math.min(blockRows, totalRows - first)
      const prepared = positions?.prepare(first, wanted)
      const count = prepared?.count ?? wanted
      const ids = workspace.ids.subarray(0, count)
      source.fillIds(ids, first)
      const rows =
        dtype === 'float32'
          ? new Float32Array(bytes.buffer, bytes.byteOffset, count * dim)
          : workspace.rows.subarray(0, count * dim)
      makeRows(source, workspace, ids, prepared, first, rows)
      yield dtype === 'float32'
        ? bytes.subarray(0, rows.byteLength)
        : workspace.narrowRows(rows.length, dtype, bytes)
      first += count
    }
  } finally {
    positions?.dispose()
    release()
  }
}

/** Token rows, positions, and the architecture's steps around them: float32 [n, C] into `rows`. */
function makeRows(
  source: RowSource,
  workspace: Workspace,
  ids: Int32Array,
  positions: PreparedPositions | undefined,
  firstRow: number,
  rows: Float32Array,
): void {
  const { table, contextLength } = source
  if (source.beforePositions === undefined) {
    lookUp(rows, table, ids, positions && { contextLength, firstRow, ...positions })
  } else {
    lookUp(rows, table, ids)
    source.beforePositions(rows, firstRow)
    if (positions !== undefined) {
      const places = positionIndices(ids.length, positions.positionStart, contextLength, firstRow)
      const addends = workspace.addends.subarray(0, rows.length)
      lookUp(addends, positions.positions, places)
      addRows(rows, addends)
    }
  }
  source.afterPositions?.(rows, firstRow)
}
