import {
  type DataId,
  type KernelBackend,
  type Tensor,
  type TensorInfo,
  tensor1d,
} from '@tensorflow/tfjs-core'
import type { FloatDtype } from '../../tensors/named-tensor.js'
import { type InputEmbeddingsAttrs, positionIndices } from '../op.js'
import {
  type TensorflowBackend,
  type TensorflowOps,
  tensorflowOps,
  type Words,
  wordOps,
} from './tensorflow-ops.js'

/** Rows of a table of any storage type, as float32. Every call makes tensors: call them inside `tidy`. */
interface WideRows {
  /** ids [...] → [..., C] */
  gather(ids: TensorInfo): Tensor
  /** Rows `first … first + count − 1`: [count, C]. */
  slice(first: number, count: number): Tensor
}

export function wideRows(backend: TensorflowBackend, table: TensorInfo, dtype: FloatDtype): WideRows {
  if (dtype === 'float32') {
    const { gather, sliceRows } = tensorflowOps(backend)
    return { gather: (ids) => gather(table, ids), slice: (first, count) => sliceRows(table, first, count) }
  }
  const words = wordsOf(backend, table, dtype)
  const { gather, sliceRows } = wordOps(backend)
  return { gather: (ids) => gather(words, ids), slice: (first, count) => sliceRows(words, first, count) }
}

/** The bits of a 16-bit table. TensorFlow.js's tensor holds them; TensorFlow never gets that tensor. */
export function wordsOf(backend: TensorflowBackend, table: TensorInfo, dtype: Words['dtype']): Words {
  const bits = backend.readSync(table.dataId) as unknown as Uint16Array
  return { bits, dtype, dim: table.shape[1] }
}

/** Token rows plus position rows: [n, C], or [B, T, C] if the rows are B whole windows. Call it inside `tidy`. */
export function rowSums(
  ops: TensorflowOps,
  table: WideRows,
  ids: TensorInfo,
  positions: WideRows | undefined,
  attrs: InputEmbeddingsAttrs,
): Tensor {
  if (positions === undefined) return table.gather(ids) // [n, C]
  const { positionStart, contextLength: length, firstRow } = attrs
  const count = ids.shape[0]
  const first = firstRow % length
  if (first + count <= length) {
    const slice = positions.slice(positionStart + first, count) // [n, C]
    return ops.add(table.gather(ids), slice)
  }
  if (first === 0 && count % length === 0) {
    const windows = ops.reshape(ids, [count / length, length]) // [B, T]
    const slice = positions.slice(positionStart, length) // [T, C]
    return ops.add(table.gather(windows), slice) // [B, T, C]
  }
  const rows = tensor1d(positionIndices(count, positionStart, length, firstRow), 'int32') // [n]
  return ops.add(table.gather(ids), positions.gather(rows)) // [n, C]
}

/** {@link rowSums} for subnormal sums, which TensorFlow makes 0: TensorFlow gathers, JavaScript adds. */
export function tinyRowSums(
  table: WideRows,
  ids: TensorInfo,
  positions: WideRows,
  { positionStart, contextLength, firstRow }: InputEmbeddingsAttrs,
): Float32Array {
  const indices = positionIndices(ids.shape[0], positionStart, contextLength, firstRow)
  const added = positions.gather(tensor1d(indices, 'int32')).dataSync<'float32'>() // n · C
  const tokens = table.gather(ids).dataSync<'float32'>() // n · C
  for (let i = 0; i < added.length; i++) added[i] += tokens[i]
  return added
}

/** The exponent of 2^-103 with float32's bias. */
const SMALLEST_SAFE = 127 - 103

const verdicts = new WeakMap<DataId, boolean>()

/**
 * Whether sums of this tensor's elements may be subnormal, below 2^-126. TensorFlow runs its kernels with the
 * processor set to treat subnormals as 0 (flush to zero); JavaScript and PyTorch keep them.
 *
 * Elements that are 0 or at least 2^-103 are multiples of 2^-126, and so are their sums: 0 or normal. float16 elements
 * are 0 or at least 2^-24. Reads the elements once per tensor, which must not change after that.
 */
export function hasTinyValues(tensor: TensorInfo, dtype: FloatDtype, backend: KernelBackend): boolean {
  if (dtype === 'float16') return false
  let tiny = verdicts.get(tensor.dataId)
  if (tiny === undefined) {
    const values = backend.readSync(tensor.dataId) as unknown
    tiny = dtype === 'float32' ? anyTiny(values as Float32Array) : anyTinyBits(values as Uint16Array, 7)
    verdicts.set(tensor.dataId, tiny)
  }
  return tiny
}

function anyTiny(values: Float32Array): boolean {
  return anyTinyBits(new Uint32Array(values.buffer, values.byteOffset, values.length), 23)
}

/** `words` are floats' bits, `fraction` of them their fraction. Without the sign, bits compare like magnitudes. */
function anyTinyBits(words: Uint32Array | Uint16Array, fraction: number): boolean {
  const smallestSafe = SMALLEST_SAFE << fraction
  const withoutSign = 2 ** (8 + fraction) - 1
  for (let i = 0; i < words.length; i++) {
    const magnitude = words[i] & withoutSign
    if (magnitude < smallestSafe && magnitude !== 0) return true
  }
  return false
}
