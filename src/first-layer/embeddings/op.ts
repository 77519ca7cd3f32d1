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
import type { FloatDtype } from '../tensors/named-tensor.js'

/** Numbers as they are stored: float32 as numbers, float16 and bfloat16 as their bits. */
export type StoredNumbers = Float32Array | Uint16Array

/** Rows that the embedding op looks up, in the width in which they are stored. */
export interface Table {
  /**
   * [rows, C] over the memory of the numbers. TensorFlow.js has no 16-bit type: it takes such a table for int32
   * numbers. Only the embedding op knows that they are the bits of 16-bit ones.
   */
  readonly tensor: Tensor2D
  readonly dtype: FloatDtype
}

/**
 * A table over `numbers`, row-major, rows of `dim`, without a copy. The caller disposes of its tensor.
 *
 * `tableOver(Uint16Array.of(0x3c00, 0xc000), 'float16', 2)` → the row [1, −2]
 *
 * @param numbers `Float32Array` for float32, `Uint16Array` for the others
 */
export function tableOver(numbers: StoredNumbers, dtype: FloatDtype, dim: number): Table {
  const shape: [number, number] = [numbers.length / dim, dim]
  return {
    tensor: engine().makeTensor(numbers as Float32Array, shape, tensorDtype(dtype)) as Tensor2D,
    dtype,
  }
}

/** The dtype under which TensorFlow.js holds numbers of this type. */
export function tensorDtype(dtype: FloatDtype): 'float32' | 'int32' {
  return dtype === 'float32' ? 'float32' : 'int32'
}

/** `length` zeros. */
export function newNumbers(dtype: FloatDtype, length: number): StoredNumbers {
  return dtype === 'float32' ? new Float32Array(length) : new Uint16Array(length)
}

/** The `length` numbers at the beginning of `bytes`. */
export function numbersIn(
  { buffer, byteOffset }: Uint8Array,
  dtype: FloatDtype,
  length: number,
): StoredNumbers {
  return dtype === 'float32'
    ? new Float32Array(buffer, byteOffset, length)
    : new Uint16Array(buffer, byteOffset, length)
}

/**
 * The TensorFlow.js op behind every served row of a table: gather token rows, add position rows.
 *
 *     out[i, :] = table[ids[i], :] (+ positions[positionStart + (firstRow + i) mod contextLength, :])
 *
 * Inputs: `table` [V, C], `ids` int32 [n], `positions` [P, C] or absent. Output: [n, C]. TensorFlow.js holds float16
 * and bfloat16 numbers as their bits, in int32 tensors; the attributes name these tensors. The kernel widens rows
 * exactly, adds them in float32, and rounds to nearest even; without positions, and where the output has the table's
 * type, it copies rows. Each backend registers its own kernel under this name (`backends/`).
 */
export const INPUT_EMBEDDINGS = 'InputEmbeddings'

/** The op's tensors, as the kernels get them. */
export interface InputEmbeddingsInputs {
  readonly table: TensorInfo
  readonly ids: TensorInfo
  readonly positions?: TensorInfo
}

export interface InputEmbeddingsAttrs {
  readonly tableDtype: FloatDtype
  /** float32 without positions. */
  readonly positionsDtype: FloatDtype
  /** Element type of the output. */
  readonly dtype: FloatDtype
  /** Row of `positions` that belongs to a window's first token. */
  readonly positionStart: number
  /** T: the position of row i is `(firstRow + i) mod contextLength`. */
  readonly contextLength: number
  /** Place of the first id in the flattened [B, T]. */
  readonly firstRow: number
  /** P, for the gradient; 0 without positions. */
  readonly positionRows: number
  /**
   * The kernel writes the rows there, [n, C] of `dtype`, and returns no tensor, because bookkeeping for one costs as
   * much as a few rows. Absent: in the backend's own memory.
   */
  readonly out?: StoredNumbers
}

/** Position rows that the op adds to those of a table. */
export interface AddedPositions
  extends Pick<InputEmbeddingsAttrs, 'positionStart' | 'contextLength' | 'firstRow'> {
  /** [P, C] */
  readonly positions: Table
}

/** Runs the op on plain ids, and writes the rows [n, C] to `out` as `dtype`. */
export function lookUp(
  out: StoredNumbers,
  table: Table,
  ids: Int32Array,
  added?: AddedPositions,
  dtype: FloatDtype = 'float32',
): void {
  const idTensor = engine().makeTensor(ids, [ids.length], 'int32') as Tensor1D
  gatherAndAdd(table, idTensor, added, dtype, out)
  idTensor.dispose()
}

/** Runs the op on the backend in use. The caller disposes of the result [n, C]; with `out` there is none. */
export function gatherAndAdd(
  table: Table,
  ids: TensorInfo,
  added?: AddedPositions,
  dtype: FloatDtype = 'float32',
  out?: StoredNumbers,
): Tensor2D {
  const positions = added?.positions
  const inputs =
    positions === undefined
      ? { table: table.tensor, ids }
      : { table: table.tensor, ids, positions: positions.tensor }
  const attrs: InputEmbeddingsAttrs = {
    tableDtype: table.dtype,
    positionsDtype: positions?.dtype ?? 'float32',
    dtype,
    positionStart: added?.positionStart ?? 0,
    contextLength: added?.contextLength ?? 1,
    firstRow: added?.firstRow ?? 0,
    positionRows: positions?.tensor.shape[0] ?? 0,
    out,
  }
  return engine().runKernel(
    INPUT_EMBEDDINGS,
    inputs as unknown as NamedTensorMap,
    attrs as unknown as NamedAttrMap,
  ) as Tensor2D
}

/** Row of `positions` for each of `n` rows: positionStart 10, T 4, firstRow 3 → 13, 10, 11, … */
export function positionIndices(
  n: number,
  { positionStart, contextLength, firstRow }: Omit<AddedPositions, 'positions'>,
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
    onlyFloat32('rows', attrs.dtype)
    const gradients: { [name: string]: () => Tensor } = {
      table: () => {
        onlyFloat32('a table', attrs.tableDtype)
        return unsortedSegmentSum(upstream, ids as Tensor1D, table.shape[0])
      },
    }
    if (attrs.positionRows > 0) {
      const rows = positionIndices(upstream.shape[0], attrs)
      gradients.positions = () => {
        onlyFloat32('a table of positions', attrs.positionsDtype)
        return unsortedSegmentSum(upstream, tensor1d(rows, 'int32'), attrs.positionRows)
      }
    }
    return gradients
  },
})

/** @throws Error for 16-bit types: TensorFlow.js holds them as int32, of which it has no gradients */
function onlyFloat32(what: string, dtype: FloatDtype): void {
  if (dtype !== 'float32')
    throw new Error(`The gradient of ${INPUT_EMBEDDINGS} is that of float32. Given: ${what} of ${dtype}`)
}
