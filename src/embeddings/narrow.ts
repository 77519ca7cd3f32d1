import { narrowBfloat16, narrowFloat16 } from '../half.js'
import type { FloatDtype } from '../named-tensor.js'

/** Float32 values as the bytes of `dtype`, rounded to nearest even, in place: the front of the same memory. */
export const NARROW: Readonly<Record<FloatDtype, (values: Float32Array) => Uint8Array>> = {
  float32: (values) => new Uint8Array(values.buffer, values.byteOffset, values.byteLength),
  float16: (values) => inPlace(values, narrowFloat16),
  bfloat16: (values) => inPlace(values, narrowBfloat16),
}

// Element i is read before place i is written, and its own bytes lie at or beyond that place.
function inPlace(values: Float32Array, narrow: (values: Float32Array, out: Uint16Array) => void): Uint8Array {
  const halves = new Uint16Array(values.buffer, values.byteOffset, values.length)
  narrow(values, halves)
  return new Uint8Array(halves.buffer, halves.byteOffset, halves.byteLength)
}
