import { normalKernel, STATE_WORDS } from '../kernels/normal-kernel.js'

/**
 * The 32-bit Mersenne Twister behind PyTorch's CPU generator, seeded as `MT19937RNGEngine.h` does.
 *
 * `new MersenneTwister(123).next()` → 2991312382
 */
export class MersenneTwister {
  readonly #state = new Uint32Array(STATE_WORDS)
  readonly #words = new Uint32Array(STATE_WORDS)
  #used = STATE_WORDS

  /** @param seed an unsigned 32-bit integer */
  constructor(seed: number) {
    const state = this.#state
    state[0] = seed
    for (let i = 1; i < STATE_WORDS; i++) {
      const previous = state[i - 1]!
      state[i] = Math.imul(1812433253, previous ^ (previous >>> 30)) + i
    }
  }

  /** The next tempered word, 0 … 2^32 − 1. */
  next(): number {
    if (this.#used === STATE_WORDS) {
      normalKernel().twist(this.#state, this.#words)
      this.#used = 0
    }
    return this.#words[this.#used++]!
  }

  /** Moves on by `count` words: about a nanosecond each. */
  skip(count: number): void {
    let left = count
    for (; left > STATE_WORDS - this.#used; this.#used = 0) {
      left -= STATE_WORDS - this.#used
      normalKernel().twist(this.#state, this.#words)
    }
    this.#used += left
  }

  /** Fills `out`, whole blocks of 16, with normal float32 numbers; uses one word for each. */
  normalBlocks(out: Float32Array, mean: number, std: number): void {
    this.#used = normalKernel().fill(this.#state, this.#words, this.#used, out, mean, std)
  }
}
