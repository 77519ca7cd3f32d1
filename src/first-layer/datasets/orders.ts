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

/** A permutation that PyTorch draws, 4 bytes a window: which of its two laws, and for what. */
export interface TorchPermutation {
  readonly law: 'loader' | 'sampler'
  /** Windows; at most 214,748,363. */
  readonly count: number
  readonly seed: bigint
  readonly epoch: number
}

/** Draws the permutation. */
export function drawPermutation({ law, count, seed, epoch }: TorchPermutation): Steps<Int32Array> {
  return law === 'loader' ? shuffledOrder(count, seed, epoch) : samplerOrder(count, seed, epoch)
}

function* samplerOrder(count: number, seed: bigint, epoch: number): Steps<Int32Array> {
  yield count * Int32Array.BYTES_PER_ELEMENT
  return yield* randperm(new TorchGenerator(BigInt.asUintN(64, seed + BigInt(epoch))), count)
}

/**
 * The order of all ranks' windows in an epoch.
 *
 * @param drawn the loader's permutation, where `shuffle` is `true`
 */
export function windowOrder(
  count: number,
  { shuffle, seed, epoch }: OrderRule,
  drawn?: Int32Array,
): WindowOrder {
  if (shuffle === 'true') return { length: count, at: (place) => drawn![place]! }
  if (shuffle === 'false') return { length: count, at: (place) => place }
  const keys = roundKeys(seed, epoch, 0)
  return { length: count, at: (place) => permuted(place, count, keys) }
}

/**
 * The order that one rank gets from `torch.utils.data.DistributedSampler`: rank r takes every `worldSize`-th window
 * from r on, of an order that is filled up from its beginning, or cut under `dropLast`, to the same number for each
 * rank (torch/utils/data/distributed.py).
 *
 * @param drawn the sampler's permutation; absent: it does not shuffle
 */
export function distributedOrder(
  count: number,
  { rank, worldSize, dropLast }: { rank: number; worldSize: number; dropLast: boolean },
  drawn?: Int32Array,
): WindowOrder {
  const length = dropLast ? Math.floor(count / worldSize) : Math.ceil(count / worldSize)
  return {
    length,
    at(k) {
      const place = (rank + k * worldSize) % count
      return drawn === undefined ? place : drawn[place]!
    },
  }
}
