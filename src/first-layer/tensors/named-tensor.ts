import type { Drawn } from '../random/drawn.js'
import type { Blocks } from './blocks.js'

/** Element type of a served float tensor. */
export type FloatDtype = 'float32' | 'float16' | 'bfloat16'
/** Element type of served ids, masks, positions and indices. All fit in `int32`; PyTorch's indices are `int64`. */
export type IdsDtype = 'int32' | 'int64'
export type Dtype = IdsDtype | FloatDtype

/** Bytes of one element. */
export const ITEM_BYTES: Readonly<Record<Dtype, number>> = {
  ...{ int64: 8, int32: 4 },
  ...{ float32: 4, float16: 2, bfloat16: 2 },
}

/** The element types that a request asks for. */
export interface AskedDtypes {
  readonly dtype: FloatDtype
  readonly ids_dtype: IdsDtype
}

/** The served type of a tensor that is computed in int32 or float32. */
export function servedDtype(computed: 'int32' | 'float32', { dtype, ids_dtype }: AskedDtypes): Dtype {
  return computed === 'int32' ? ids_dtype : dtype
}

/** A tensor's declaration. */
export interface TensorInfo {
  readonly name: string
  readonly dtype: Dtype
  readonly shape: readonly number[]
}

/**
 * The interface between the code that makes tensors and the code that writes them: name, type and shape are known
 * before a single element exists, and the elements flow as blocks.
 *
 * `blocks()` yields the row-major elements, little-endian, in blocks of whole elements (about a megabyte).
 * A block is a view of a pooled buffer: it is valid only until the next one is asked for. Each call starts
 * from the first element again. Returning early (`break`) stops the work behind it.
 *
 * `drawn` are tables that are drawn when the first block is asked for, unless they are there before; `workBytes` is
 * the memory that the blocks take beside themselves and these.
 */
export interface NamedTensor extends TensorInfo {
  readonly drawn?: readonly Drawn[] | undefined
  readonly workBytes?: number | undefined
  blocks(): Blocks
}

export interface FloatTensor extends NamedTensor {
  readonly dtype: FloatDtype
}

/** Number of elements of a shape: `[8, 4, 256]` → 8192. The empty shape is a scalar: 1. */
export function elementCount(shape: readonly number[]): number {
  let count = 1
  for (const axis of shape) count *= axis
  return count
}

/** Bytes of a tensor's elements: `float16 [8, 4, 256]` → 16384. */
export function byteLength(tensor: Pick<TensorInfo, 'dtype' | 'shape'>): number {
  return elementCount(tensor.shape) * ITEM_BYTES[tensor.dtype]
}
