import { largeInt32Array } from '../kernels/large-array.js'
import { PAUSE, type Steps } from '../steps.js'
import type { TorchGenerator } from './generator.js'

/** Most numbers that can be permuted: for more, PyTorch uses another algorithm, with 64-bit draws. */
export const MAX_PERMUTATION = Math.floor((2 ** 32 - 1) / 20) - 1

/** Numbers between two pauses: 0.1 ms of work, 0.4 ms where every swap misses the caches. */
const STEP_LENGTH = 1 << 12

/**
 * `torch.randperm(n, generator=generator)`: the numbers 0 … n − 1 in random order, from n − 1 words.
 *
 * `run(randperm(new TorchGenerator(123), 10))` → 2, 0, 8, …
 *
 * Source: ATen `native/TensorFactories.cpp`.
 *
 * @throws RangeError when n is not an integer from 0 to 214,748,363
 */
export function* randperm(generator: TorchGenerator, n: number): Steps<Int32Array> {
  if (!Number.isInteger(n) || n < 0 || n > MAX_PERMUTATION) {
    throw new RangeError(`n must be an integer from 0 to ${MAX_PERMUTATION}. Given: ${n}`)
  }
  const order = largeInt32Array(n)
  for (let i = 0; i < n; i++) {
    order[i] = i
    if (i % STEP_LENGTH === STEP_LENGTH - 1) yield PAUSE
  }
  for (let i = 0; i < n - 1; i++) {
    const other = i + (generator.random32() % (n - i))
    const kept = order[i]
    order[i] = order[other]
    order[other] = kept
    if (i % STEP_LENGTH === STEP_LENGTH - 1) yield PAUSE
  }
  return order
}
