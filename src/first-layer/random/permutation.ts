import { TorchGenerator } from './generator.js'

/** Most numbers that can be permuted: for more, PyTorch uses another algorithm, with 64-bit draws. */
export const MAX_PERMUTATION = Math.floor((2 ** 32 - 1) / 20) - 1

/**
 * `torch.randperm(n, generator=generator)`: the numbers 0 … n − 1 in random order, from n − 1 words.
 *
 * `randperm(new TorchGenerator(123), 10)` → 2, 0, 8, …
 *
 * Source: ATen `native/TensorFactories.cpp`.
 *
 * @param allocate zeroed memory for the numbers
 * @throws RangeError when n is not an integer from 0 to 214,748,363
 */
export function randperm(
  generator: TorchGenerator,
  n: number,
  allocate: (length: number) => Int32Array = (length) => new Int32Array(length),
): Int32Array {
  if (!Number.isInteger(n) || n < 0 || n > MAX_PERMUTATION)
    throw new RangeError(`n must be an integer from 0 to ${MAX_PERMUTATION}. Given: ${n}`)
  const order = allocate(n)
  for (let i = 0; i < n; i++) order[i] = i
  for (let i = 0; i < n - 1; i++) {
    const other = i + (generator.random32() % (n - i))
    const kept = order[i]
    order[i] = order[other]
    order[other] = kept
  }
  return order
}

/** Largest epoch: skipping an epoch costs four words of the generator. */
export const MAX_EPOCH = 1000

/**
 * The order of the `epoch`-th pass (from 0) over one PyTorch `DataLoader(shuffle=True, num_workers=0)` after
 * `torch.manual_seed(seed)`: place k of the loader holds window `order[k]`.
 *
 * Each pass draws two 64-bit values from the global generator: its base seed, which only workers would use,
 * and the seed of a fresh generator whose `randperm` is the order (torch/utils/data/dataloader.py,
 * `_BaseDataLoaderIter.__init__`; sampler.py, `RandomSampler.__iter__`).
 */
export function shuffledOrder(
  numWindows: number,
  seed: bigint,
  epoch: number,
  allocate?: (length: number) => Int32Array,
): Int32Array {
  return randperm(generatorOf(seed, epoch), numWindows, allocate)
}

/** The generator that PyTorch gives to the sampler of this epoch. */
function generatorOf(seed: bigint, epoch: number): TorchGenerator {
  const global = new TorchGenerator(seed)
  global.skip(4 * epoch + 2)
  return new TorchGenerator(global.randint64())
}
