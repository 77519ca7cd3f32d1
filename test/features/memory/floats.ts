import type { FloatDtype } from '../../../src/first-layer/tensors/named-tensor.js'
import { widened } from '../../../src/first-layer/tensors/sixteen-bits.js'
import type { Decoded } from '../../decode.js'

/** A float tensor's numbers. */
export function toFloats({ dtype, bytes }: Decoded): Float32Array {
  const { buffer } = new Uint8Array(bytes)
  const stored = dtype === 'F32' || dtype === 'float32' ? new Float32Array(buffer) : new Uint16Array(buffer)
  const names: Record<string, FloatDtype> = { F32: 'float32', F16: 'float16', BF16: 'bfloat16' }
  return widened(stored, names[dtype] ?? (dtype as FloatDtype))
}
