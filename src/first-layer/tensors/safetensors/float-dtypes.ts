import type { FloatDtype } from '../named-tensor.js'

/** The element types of tables, by their names in a safetensors file. */
export const FLOAT_DTYPES: Readonly<Record<string, FloatDtype>> = {
  F32: 'float32',
  F16: 'float16',
  BF16: 'bfloat16',
}
