import { engine, type Tensor1D, type Tensor2D } from '@tensorflow/tfjs-core'
import { elementCount, type FloatDtype, ITEM_BYTES, type NamedTensor } from '../named-tensor.js'
import { inputEmbeddings } from './op.js'
import type { PositionRows } from './position-rows.js'
import { MAX_BLOCK_ROWS, type Workspace } from './workspace.js'

/** A tensor of looked-up rows: what is looked up, what is added. */
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
  /** The architecture's work on the rows [n, C] from row `first` on, in place. */
  finish?(rows: Float32Array, first: number): void
}

/** Rows of a table as a tensor that flows: each block is one run of the embedding op. */
export function rowTensor(source: RowSource, workspace: Workspace): NamedTensor {
  const { name, shape, dtype } = source
  const dim = shape[shape.length - 1]
  const totalRows = elementCount(shape) / dim
  const fitting = Math.floor(workspace.blockBytes / (dim * Float32Array.BYTES_PER_ELEMENT))
  const blockRows = Math.min(fitting, MAX_BLOCK_ROWS, totalRows)

  return {
    name,
    dtype,
    shape,
    async *blocks() {
      const { bytes, release } = workspace.lease(blockRows * dim * ITEM_BYTES[dtype])
      const positions = source.positions?.()
      const idBuffer = new Int32Array(blockRows)
      try {
        for (let first = 0; first < totalRows; ) {
          const wanted = Math.min(blockRows, totalRows - first)
          const prepared = positions?.prepare(first, wanted)
          const count = prepared?.count ?? wanted
          const ids = idBuffer.subarray(0, count)
          source.fillIds(ids, first)
          const out =
            dtype === 'float32'
              ? new Float32Array(bytes.buffer, bytes.byteOffset, count * dim)
              : workspace.rows.subarray(0, count * dim)
          lookUp(source, ids, prepared, first, out)
          source.finish?.(out, first)
          yield dtype === 'float32'
            ? bytes.subarray(0, out.byteLength)
            : workspace.narrowRows(out.length, dtype, bytes)
          first += count
        }
      } finally {
        positions?.dispose()
        release()
      }
    },
  }
}

/** One run of the op: float32 [n, C] into `out`. */
function lookUp(
  source: RowSource,
  ids: Int32Array,
  prepared: ReturnType<PositionRows['prepare']> | undefined,
  firstRow: number,
  out: Float32Array,
): void {
  const idTensor = engine().makeTensor(ids, [ids.length], 'int32') as Tensor1D
  const rows = inputEmbeddings(
    { table: source.table, ids: idTensor, positions: prepared?.positions },
    { positionStart: prepared?.positionStart ?? 0, contextLength: source.contextLength, firstRow, out },
  )
  // The cpu backend's result is `out` itself; another backend's is copied out of its own memory.
  const values = rows.dataSync()
  if (values.buffer !== out.buffer) out.set(values)
  rows.dispose()
  idTensor.dispose()
}
