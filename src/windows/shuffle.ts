import { TorchGenerator } from '../random/generator.js'
import { randpermInSteps } from '../random/permutation.js'
import { nextTurn } from '../turn.js'

/** Epochs that can be skipped to: each costs four words of the generator, drawn one by one. */
export const MAX_EPOCH = 1000

/**
 * The order of the `epoch`-th pass (from 0) over one PyTorch `DataLoader(shuffle=True, num_workers=0)` after
 * `torch.manual_seed(seed)`: place k of the loader holds window `order[k]`.
 *
 * Each pass draws two 64-bit values from the global generator: its base seed, which only workers would use,
 * and the seed of a fresh generator whose `randperm` is the order (torch/utils/data/dataloader.py,
 * `_BaseDataLoaderIter.__init__`; sampler.py, `RandomSampler.__iter__`).
 */
export async function shuffledOrder(numWindows: number, seed: bigint, epoch: number): Promise<Int32Array> {
  const global = new TorchGenerator(seed)
  for (let pass = 0; pass < epoch; pass++) {
    global.randint64()
    global.randint64()
  }
  global.randint64()
  const steps = randpermInSteps(new TorchGenerator(global.randint64()), numWindows)
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
    await nextTurn()
  }
}
