import { BLOCK, normalKernel, STATE_WORDS } from '../kernels/normal-kernel.js'
import { isSeed, SEED_RANGE } from './seed.js'

/** Elements that are drawn at a time, a multiple of 16: some tenths of a millisecond of work. */
const SLICE = 1 << 16

/**
 * PyTorch's CPU random generator, bit for bit (x86-64 Linux builds, whose compiler fuses multiply-adds).
 *
 * `new TorchGenerator(123)` replaces `torch.manual_seed(123)` or `torch.Generator().manual_seed(123)`: the same calls in
 * the same order draw the same numbers. As in PyTorch, only a seed's low 32 bits count: 123 and 2^32 + 123 give the same
 * stream.
 *
 * `(new TorchGenerator(123).normal(rows), rows[0])` → `0.3373701870441437` for `rows = new Float32Array(16)`
 *
 * Source: ATen `CPUGeneratorImpl.cpp`, `DistributionsHelper.h`, `native/cpu/DistributionTemplates.h`. Does not give the
 * numbers of ARM, Windows or GPU builds, whose `normal_` differs by up to 2.4e-6.
 */
export class TorchGenerator {
  /** The 32-bit Mersenne Twister, seeded as `MT19937RNGEngine.h` does: its state, and its tempered words. */
  readonly #state = new Uint32Array(STATE_WORDS)
  readonly #words = new Uint32Array(STATE_WORDS)
  #used = STATE_WORDS
  #cachedNormal: number | undefined

  /**
   * @param seed an integer, −2^63 … 2^64 − 1
   * @throws RangeError for any other number
   */
  constructor(seed: bigint | number) {
    if (typeof seed === 'number' && !Number.isSafeInteger(seed))
      throw new RangeError(`seed must be an integer (a bigint beyond 2^53 − 1). Given: ${seed}`)
    const wide = BigInt(seed)
    if (!isSeed(wide)) throw new RangeError(`seed must be ${SEED_RANGE}. Given: ${seed}`)
    const state = this.#state
    state[0] = Number(BigInt.asUintN(32, wide))
    for (let i = 1; i < STATE_WORDS; i++) {
      const previous = state[i - 1]
      state[i] = Math.imul(1812433253, previous ^ (previous >>> 30)) + i
    }
  }

  /** One word of the twister, 0 … 2^32 − 1: the first of seed 123 is 2991312382. */
  random32(): number {
    if (this.#used === STATE_WORDS) {
      normalKernel().twist(this.#state, this.#words)
      this.#used = 0
    }
    return this.#words[this.#used++]
  }

  /** Moves on by `words` words of the twister: about a nanosecond each. */
  skip(words: number): void {
    let left = words
    for (; left > STATE_WORDS - this.#used; this.#used = 0) {
      left -= STATE_WORDS - this.#used
      normalKernel().twist(this.#state, this.#words)
    }
    this.#used += left
  }

  /** Two words, the first one high: 0n … 2^64 − 1. */
  random64(): bigint {
    const high = this.random32()
    return (BigInt(high) << 32n) | BigInt(this.random32())
  }

  /** `torch.empty((), dtype=torch.int64).random_()`: 0n … 2^63 − 1. Two words. */
  randint64(): bigint {
    return BigInt.asUintN(63, this.random64())
  }

  /**
   * `tensor.normal_(mean, std)` of a contiguous float32 tensor with `out.length` elements.
   *
   * `new TorchGenerator(123).normal(new Float32Array(18))` fills with 0.3373702, −0.17777722, −0.16895628, …:
   * the rows of `torch.manual_seed(123); nn.Embedding(6, 3).weight`.
   *
   * Draws fewer than 16 elements in double, in pairs, and keeps an unused second number of a pair for the next such
   * call. From 16 elements on, draws whole blocks of 16 in float32, without the kept number; if elements are left over,
   * draws the last 16 again.
   *
   * @param onDone called now and then with the number of elements that are drawn
   * @throws RangeError if `std` is negative or not a number
   */
  normal(out: Float32Array, mean = 0, std = 1, onDone?: (elements: number) => void): void {
    if (!(std >= 0)) throw new RangeError(`std must be at least 0. Given: ${std}`)
    const length = out.length
    if (length < BLOCK) {
      for (let i = 0; i < length; i++) out[i] = this.#normalDouble() * std + mean
      return
    }
    const remainder = length % BLOCK
    for (let start = 0; start < length - remainder; start += SLICE) {
      const end = Math.min(start + SLICE, length - remainder)
      this.#normalBlocks(out.subarray(start, end), mean, std)
      onDone?.(end)
    }
    if (remainder === 0) return
    // PyTorch draws a word for every element first, and then sixteen more for the remainder's block.
    this.skip(remainder)
    this.#normalBlocks(out.subarray(length - BLOCK), mean, std)
    onDone?.(length)
  }

  /** Moves on as {@link normal} with `count` elements would, without computing numbers. */
  skipNormal(count: number): void {
    if (count < BLOCK) this.normal(new Float32Array(count))
    else this.skip(count % BLOCK === 0 ? count : count + BLOCK)
  }

  /** Whole blocks of 16 normal float32 numbers; uses one word for each. */
  #normalBlocks(out: Float32Array, mean: number, std: number): void {
    this.#used = normalKernel().fill(this.#state, this.#words, this.#used, out, mean, std)
  }

  #normalDouble(): number {
    const cached = this.#cachedNormal
    if (cached !== undefined) {
      this.#cachedNormal = undefined
      return cached
    }
    const angle = 2 * Math.PI * this.#uniformDouble()
    const radius = Math.sqrt(-2 * Math.log1p(-this.#uniformDouble()))
    this.#cachedNormal = radius * Math.sin(angle)
    return radius * Math.cos(angle)
  }

  #uniformDouble(): number {
    return Number(BigInt.asUintN(53, this.random64())) * 2 ** -53
  }
}
