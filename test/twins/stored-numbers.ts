import type { StoredNumbers } from '../../src/first-layer/embeddings/op.js'
import type { FloatDtype } from '../../src/first-layer/tensors/named-tensor.js'
import { bfloat16Bits, bfloat16Value, float16Bits, float16Value } from './sixteen-bits.js'

/** Numbers as they are stored, from random words of 32 bits. */
export function storedFrom(words: ArrayLike<number>, dtype: FloatDtype): StoredNumbers {
  return dtype === 'float32'
    ? new Float32Array(Uint32Array.from(words).buffer)
    : Uint16Array.from(words, (word) => word >>> 16)
}

/** The values of stored numbers, one after the other. */
export function valuesOf(numbers: StoredNumbers, dtype: FloatDtype): Float32Array {
  if (dtype === 'float32') return numbers as Float32Array
  return Float32Array.from(numbers, dtype === 'float16' ? float16Value : bfloat16Value)
}

/** Values as they are stored: rounded to nearest even. */
export function stored(values: Float32Array, dtype: FloatDtype): StoredNumbers {
  if (dtype === 'float32') return values
  return Uint16Array.from(values, dtype === 'float16' ? float16Bits : bfloat16Bits)
}
