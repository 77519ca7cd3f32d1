import { TorchGenerator } from '../random/generator.js'
import { randperm } from '../random/permutation.js'
import { PAUSE, type Steps } from '../steps.js'

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
export function* shuffledOrder(numWindows: number, seed: bigint, epoch: number): Steps<Int32Array> {
  yield numWindows * Int32Array.BYTES_PER_ELEMENT
  yield PAUSE
  return yield* randperm(generatorOf(seed, epoch), numWindows)
}

/** The generator that PyTorch gives to the sampler of this epoch. */
function generatorOf(seed: bigint, epoch: number): TorchGenerator {
  const global = new TorchGenerator(seed)
  global.skip(4 * epoch + 2)
  return new TorchGenerator(global.randint64())
}
