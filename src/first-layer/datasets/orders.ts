import { TorchGenerator } from '../random/generator.js'
import { randperm } from '../random/permutation.js'
import type { Steps } from '../steps.js'
import { shuffledOrder } from '../windows/shuffle.js'
import { permuted, roundKeys } from './keyed-permutation.js'

/** How the windows of an epoch are ordered: in their own order, as PyTorch's loader, or by a keyed bijection. */
export type Shuffle = 'false' | 'true' | 'index'

/** The window at each place of an epoch, 0 … length − 1. */
export interface WindowOrder {
  readonly length: number
  at(place: number): number
}

export interface OrderRule {
  readonly shuffle: Shuffle
  /** −2^63 … 2^64 − 1 */
  readonly seed: bigint
  readonly epoch: number
}

/**
 * The order of all ranks' windows in an epoch.
 *
 * @param count windows; under `true` at most 214,748,363
 */
export function* windowOrder(count: number, { shuffle, seed, epoch }: OrderRule): Steps<WindowOrder> {
  if (shuffle === 'true') return tableOrder(yield* shuffledOrder(count, seed, epoch))
  if (shuffle === 'false') return { length: count, at: (place) => place }
  const keys = roundKeys(seed, epoch, 0)
  return { length: count, at: (place) => permuted(place, count, keys) }
}

function tableOrder(table: Int32Array): WindowOrder {
  return { length: table.length, at: (place) => table[place]! }
}

/**
 * The order that one rank gets from `torch.utils.data.DistributedSampler`: rank r takes every `worldSize`-th window
 * from r on, of an order that is filled up from its beginning, or cut under `dropLast`, to the same number for each
 * rank (torch/utils/data/distributed.py).
 */
export function* distributedOrder(
  count: number,
  { shuffle, seed, epoch }: OrderRule,
  rank: number,
  worldSize: number,
  dropLast: boolean,
): Steps<WindowOrder> {
  let order: Int32Array | undefined
  if (shuffle === 'true') {
    yield count * Int32Array.BYTES_PER_ELEMENT
    order = yield* randperm(new TorchGenerator(BigInt.asUintN(64, seed + BigInt(epoch))), count)
  }
  const length = dropLast ? Math.floor(count / worldSize) : Math.ceil(count / worldSize)
  return {
    length,
    at(k) {
      const place = (rank + k * worldSize) % count
      return order === undefined ? place : order[place]!
    },
  }
}
