import type { DataId, KernelBackend, TensorInfo } from '@tensorflow/tfjs-core'

// As bits: 2^-103, whose sign-less pattern orders like the number.
const SMALLEST_SAFE = (127 - 103) << 23

const verdicts = new WeakMap<DataId, boolean>()

/**
 * Whether sums of this tensor's elements may be subnormal, below 2^-126: TensorFlow runs its kernels with the
 * processor set to take and give 0 for those (flush to zero), JavaScript and PyTorch keep them.
 *
 * Elements that are 0 or at least 2^-103 are multiples of 2^-126, and so are their sums: 0 or normal. One pass
 * over the elements, once per tensor; they are not to change after that.
 */
export function hasTinyValues(tensor: TensorInfo, backend: KernelBackend): boolean {
  let tiny = verdicts.get(tensor.dataId)
  if (tiny === undefined) {
    tiny = anyTiny(backend.readSync(tensor.dataId) as Float32Array)
    verdicts.set(tensor.dataId, tiny)
  }
  return tiny
}

function anyTiny(values: Float32Array): boolean {
  const words = new Uint32Array(values.buffer, values.byteOffset, values.length)
  for (let i = 0; i < words.length; i++) {
    const magnitude = words[i] & 0x7fff_ffff
    if (magnitude < SMALLEST_SAFE && magnitude !== 0) return true
  }
  return false
}
