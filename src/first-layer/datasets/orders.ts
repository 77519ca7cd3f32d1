import { TorchGenerator } from '../random/generator.js'
import { randperm, shuffledOrder } from '../random/permutation.js'

/** A permutation that PyTorch draws, 4 bytes a window: which of its two laws, and for what. */
export interface TorchPermutation {
  readonly law: 'loader' | 'sampler'
  /** Windows; at most 214,748,363. */
  readonly count: number
  readonly seed: bigint
  readonly epoch: number
}

/** @param allocate memory for it. Default: this thread's own */
export function drawPermutation(
  { law, count, seed, epoch }: TorchPermutation,
  allocate?: (length: number) => Int32Array,
): Int32Array {
  if (law === 'loader') return shuffledOrder(count, seed, epoch, allocate)
  return randperm(new TorchGenerator(BigInt.asUintN(64, seed + BigInt(epoch))), count, allocate)
}

/** Rounds of the network, and round keys. */
const ROUNDS = 8
/** 2^32 divided by the golden ratio: it sets the parts of a key apart. */
const GOLDEN = 0x9e3779b9

/** MurmurHash3's finalizer (Austin Appleby, public domain): a bijection of 32-bit words. */
function mix32(word: number): number {
  let x = word >>> 0
  x = Math.imul(x ^ (x >>> 16), 0x85ebca6b)
  x = Math.imul(x ^ (x >>> 13), 0xc2b2ae35)
  return (x ^ (x >>> 16)) >>> 0
}

/**
 * The eight round keys of one order.
 *
 * @param seed −2^63 … 2^64 − 1, as `torch.manual_seed` takes it
 * @param epoch 0 … 2^32 − 1
 * @param stream sets several orders of one seed and epoch apart
 */
export function roundKeys(seed: bigint, epoch: number, stream: number): Uint32Array {
  const wide = BigInt.asUintN(64, seed)
  const parts = [Number(wide & 0xffffffffn), Number(wide >> 32n), epoch, stream]
  return Uint32Array.from({ length: ROUNDS }, (_, round) => {
    let sum = 0
    for (const [part, value] of parts.entries()) sum += mix32(value ^ Math.imul(GOLDEN, 4 * round + part + 1))
    return mix32(sum % 2 ** 32)
  })
}

/**
 * The k-th number of an order of 0 … n − 1 that needs no memory: a Feistel network over the next even number of bits,
 * walked until it gives a number below n, at most four times on average.
 *
 * `permuted(0, 1000, roundKeys(2n ** 64n - 1n, 1, 0))` → 109
 *
 * @param k 0 … n − 1
 * @param n 1 … 2^53 − 1
 */
export function permuted(k: number, n: number, keys: Uint32Array): number {
  const half = (Math.max(2, bitLength(n - 1)) + 1) >> 1
  const size = 2 ** half
  const mask = size - 1
  let left = Math.floor(k / size)
  let right = k % size
  for (;;) {
    for (let round = 0; round < ROUNDS; round++) {
      const next = left ^ (mix32(right + keys[round]) & mask)
      left = right
      right = next
    }
    const number = left * size + right
    if (number < n) return number
  }
}

/** Bits of an integer below 2^53: 0 → 0, 5 → 3. */
function bitLength(n: number): number {
  const high = Math.floor(n / 2 ** 32)
  return high > 0 ? 64 - Math.clz32(high) : 32 - Math.clz32(n)
}
