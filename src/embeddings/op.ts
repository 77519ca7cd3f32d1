import {
  engine,
  type NamedAttrMap,
  type NamedTensorMap,
  registerGradient,
  type Tensor,
  type Tensor1D,
  type Tensor2D,
  type TensorInfo,
  tensor1d,
  unsortedSegmentSum,
} from '@tensorflow/tfjs-core'

/**
 * The one TensorFlow.js op behind every served row of a table: gather token rows, add position rows.
 *
 *     out[i, :] = table[ids[i], :] (+ positions[positionStart + (firstRow + i) mod contextLength, :])
 *
 * Inputs: `table` float32 [V, C], `ids` int32 [n], `positions` float32 [P, C] or absent. Output: float32
 * [n, C]. Each backend registers its own kernel under this name (`backends/`).
 */
export const INPUT_EMBEDDINGS = 'InputEmbeddings'

export interface InputEmbeddingsInputs {
  readonly table: TensorInfo
  readonly ids: TensorInfo
  readonly positions?: TensorInfo
}

export interface InputEmbeddingsAttrs {
  /** Row of `positions` that belongs to a window's first token. */
  readonly positionStart: number
  /** T: the position of row i is `(firstRow + i) mod contextLength`. */
  readonly contextLength: number
  /** Place of the first id in the flattened [B, T]. */
  readonly firstRow: number
  /** P, for the gradient; 0 without positions. */
  readonly positionRows: number
  /** Where a backend that can write to our memory puts the rows; absent: into memory of its own. */
  readonly out?: Float32Array
}

/** Runs the op on the backend in use: float32 [n, C], to be disposed of by the caller. */
export function inputEmbeddings(
  inputs: InputEmbeddingsInputs,
  attrs: Omit<InputEmbeddingsAttrs, 'positionRows'>,
): Tensor2D {
  const { table, ids, positions } = inputs
  const given = positions === undefined ? { table, ids } : { table, ids, positions }
  const allAttrs = { positionRows: positions?.shape[0] ?? 0, ...attrs }
  return engine().runKernel(
    INPUT_EMBEDDINGS,
    given as unknown as NamedTensorMap,
    allAttrs as unknown as NamedAttrMap,
  ) as unknown as Tensor2D
}

/** Positions to add in the same run. */
export interface AddedPositions {
  /** [P, C] */
  readonly positions: Tensor2D
  readonly positionStart: number
  readonly contextLength: number
  readonly firstRow: number
}

/** Runs the op on plain ids, and puts the rows [n, C] in `out`. */
export function lookUp(out: Float32Array, table: Tensor2D, ids: Int32Array, added?: AddedPositions): void {
  const idTensor = engine().makeTensor(ids, [ids.length], 'int32') as Tensor1D
  const { positions, positionStart, contextLength, firstRow } = added ?? NO_POSITIONS
  const rows = inputEmbeddings(
    { table, ids: idTensor, positions },
    { positionStart, contextLength, firstRow, out },
  )
  // The cpu backend's result is `out` itself; another backend's is copied out of its own memory.
  const values = rows.dataSync()
  if (values.buffer !== out.buffer) out.set(values)
  rows.dispose()
  idTensor.dispose()
}

const NO_POSITIONS = { positions: undefined, positionStart: 0, contextLength: 1, firstRow: 0 }

/** Row of `positions` for each of `n` rows: positionStart 10, T 4, firstRow 3 → 13, 10, 11, … */
export function positionIndices(
  n: number,
  positionStart: number,
  contextLength: number,
  firstRow: number,
): Int32Array {
  return Int32Array.from({ length: n }, (_, i) => positionStart + ((firstRow + i) % contextLength))
}

// A row that was looked up k times gets the sum of its k upstream rows, as nn.Embedding's backward gives it.
registerGradient({
  kernelName: INPUT_EMBEDDINGS,
  inputsToSave: ['table', 'ids'],
  gradFunc: (dy, [table, ids], namedAttrs) => {
    const upstream = dy as Tensor2D
    const attrs = namedAttrs as unknown as InputEmbeddingsAttrs
    const gradients: { [name: string]: () => Tensor } = {
      table: () => unsortedSegmentSum(upstream, ids as Tensor1D, table.shape[0]),
    }
    if (attrs.positionRows > 0) {
      const { positionStart, contextLength, firstRow } = attrs
      const rows = positionIndices(upstream.shape[0], positionStart, contextLength, firstRow)
      gradients.positions = () => unsortedSegmentSum(upstream, tensor1d(rows, 'int32'), attrs.positionRows)
    }
    return gradients
  },
})
