import { engine, type Tensor2D } from '@tensorflow/tfjs-core'
import type { FloatDtype } from '../named-tensor.js'

/** Numbers as they are stored: those of float32 themselves, of float16 and bfloat16 the bits. */
export type StoredNumbers = Float32Array | Uint16Array

/** Rows that the embedding op looks up, in the width in which they are stored. */
export interface Table {
  /**
   * [rows, C] over the memory of the numbers. TensorFlow.js knows no type of 16 bits: to it such a table holds int32,
   * the bits of each number, and only the embedding op knows better.
   */
  readonly tensor: Tensor2D
  readonly dtype: FloatDtype
}

/**
 * A table over `numbers`, row-major, of `dim` each; they are not copied. Its tensor is to be disposed of.
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

/** What TensorFlow.js is told of numbers of this type. */
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
