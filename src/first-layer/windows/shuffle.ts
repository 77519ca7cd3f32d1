import { type Claim, UNBOUNDED } from '../../load/claim.js'
import { heavy } from '../../load/heavy.js'
import { Pace } from '../../turn.js'
import { TorchGenerator } from '../random/generator.js'
import { randpermInSteps } from '../random/permutation.js'

/** Largest epoch: skipping an epoch costs four words of the generator. */
export const MAX_EPOCH = 1000

/** Up to so many windows are shuffled within a turn, without waiting for other heavy work. */
const SHORT = 1 << 14

/**
 * The order of the `epoch`-th pass (from 0) over one PyTorch `DataLoader(shuffle=True, num_workers=0)` after
 * `torch.manual_seed(seed)`: place k of the loader holds window `order[k]`.
 *
 * Each pass draws two 64-bit values from the global generator: its base seed, which only workers would use,
 * and the seed of a fresh generator whose `randperm` is the order (torch/utils/data/dataloader.py,
 * `_BaseDataLoaderIter.__init__`; sampler.py, `RandomSampler.__iter__`).
 *
 * @param claim with which the order's 4 bytes per window are reserved
 */
export async function shuffledOrder(
  numWindows: number,
  seed: bigint,
  epoch: number,
  claim: Claim = UNBOUNDED,
): Promise<Int32Array> {
  await claim.take(numWindows * Int32Array.BYTES_PER_ELEMENT)
  const work = () => inTurns(randpermInSteps(generatorOf(seed, epoch), numWindows), claim)
  return numWindows <= SHORT ? work() : heavy(claim, work)
}

/** The generator that PyTorch gives to the sampler of this epoch. */
function generatorOf(seed: bigint, epoch: number): TorchGenerator {
  const global = new TorchGenerator(seed)
  global.skip(4 * epoch + 2)
  return new TorchGenerator(global.randint64())
}

async function inTurns<Result>(steps: Generator<void, Result, void>, claim: Claim): Promise<Result> {
  const pace = new Pace(claim)
  for (;;) {
    if (pace.isOver) await pace.nextTurn()
    const { done, value } = steps.next()
    if (done) return value
  }
}
