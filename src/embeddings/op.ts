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
  const allAttrs = { ...attrs, positionRows: positions?.shape[0] ?? 0 }
  return engine().runKernel(
    INPUT_EMBEDDINGS,
    given as unknown as NamedTensorMap,
    allAttrs as unknown as NamedAttrMap,
  ) as unknown as Tensor2D
}

/** Row of `positions` for each of `n` rows: firstRow 3, T 4, positionStart 10 → 13, 10, 11, … */
export function positionIndices(n: number, attrs: InputEmbeddingsAttrs): Int32Array {
  const { positionStart, contextLength, firstRow } = attrs
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
      const rows = positionIndices(upstream.shape[0], attrs)
      gradients.positions = () => unsortedSegmentSum(upstream, tensor1d(rows, 'int32'), attrs.positionRows)
    }
    return gradients
  },
})
