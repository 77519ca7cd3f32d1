import type { DataId, KernelBackend, TensorInfo } from '@tensorflow/tfjs-core'
import type { FloatDtype } from '../../tensors/named-tensor.js'

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
