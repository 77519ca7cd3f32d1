import type { Tensor, TensorInfo } from '@tensorflow/tfjs-core'
import type { FloatDtype } from '../../tensors/named-tensor.js'
import { type TensorflowBackend, tensorflowOps } from './tensorflow-ops.js'
import { type Words, wordOps } from './tensorflow-words.js'

/** Rows of a table of any storage type, as float32. Every call makes tensors: call them inside `tidy`. */
export interface WideRows {
  /** ids [...] → [..., C] */
  gather(ids: TensorInfo): Tensor
  /** Rows `first … first + count − 1`: [count, C]. */
  slice(first: number, count: number): Tensor
}

export function wideRows(backend: TensorflowBackend, table: TensorInfo, dtype: FloatDtype): WideRows {
  if (dtype === 'float32') {
    const { gather, sliceRows } = tensorflowOps(backend)
    return {
      gather: (ids) => gather(table, ids),
      slice: (first, count) => sliceRows(table, first, count),
    }
  }
  const words = wordsOf(backend, table, dtype)
  const { gather, sliceRows } = wordOps(backend)
  return {
    gather: (ids) => gather(words, ids),
    slice: (first, count) => sliceRows(words, first, count),
  }
}

/** The bits of a 16-bit table. TensorFlow.js's tensor holds them; TensorFlow never gets that tensor. */
export function wordsOf(backend: TensorflowBackend, table: TensorInfo, dtype: Words['dtype']): Words {
  const bits = backend.readSync(table.dataId) as unknown as Uint16Array
  return { bits, dtype, dim: table.shape[1] }
}
