import {
  getBackend,
  getKernel,
  type KernelFunc,
  registerKernel,
  type TensorInfo,
  unregisterKernel,
} from '@tensorflow/tfjs-core'
import { INPUT_EMBEDDINGS } from '../src/first-layer/embeddings/op.js'

/** The op's inputs since the last `reset`. */
export interface KernelCount {
  calls: number
  rows: number
  /** Calls that added positions. */
  sums: number
  reset(): void
  /** Puts the kernel back that was there before. */
  restore(): void
}

/** On the backend in use, swaps in a kernel that counts, and does `work` in place of the real one's where it is given. */
export function countKernel(work?: KernelFunc): KernelCount {
  const real = getKernel(INPUT_EMBEDDINGS, getBackend())
  const register = (kernelFunc: KernelFunc) => {
    unregisterKernel(INPUT_EMBEDDINGS, real.backendName)
    registerKernel({ ...real, kernelFunc })
  }
  const count: KernelCount = {
    calls: 0,
    rows: 0,
    sums: 0,
    reset: () => Object.assign(count, { calls: 0, rows: 0, sums: 0 }),
    restore: () => register(real.kernelFunc),
  }
  register((params) => {
    const { ids, positions } = params.inputs as { ids: TensorInfo; positions?: TensorInfo }
    count.calls += 1
    count.rows += ids.shape[0]
    if (positions !== undefined) count.sums += 1
    return (work ?? real.kernelFunc)(params)
  })
  return count
}
