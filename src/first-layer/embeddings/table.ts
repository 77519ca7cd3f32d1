import { engine, type Tensor2D } from '@tensorflow/tfjs-core'
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
