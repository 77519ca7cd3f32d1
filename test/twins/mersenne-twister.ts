// mt19937 by M. Matsumoto and T. Nishimura (BSD-3-Clause), in the form PyTorch's MT19937RNGEngine.h seeds it.

const STATE_WORDS = 624
const SHIFT_WORDS = 397

/**
 * Twin of the generator's twister, word by word.
 *
 * `new PlainTwister(123).next()` → 2991312382
 */
export class PlainTwister {
  readonly #state = new Uint32Array(STATE_WORDS)
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
      this.#twist()
      this.#used = 0
    }
    let word = this.#state[this.#used++]!
    word ^= word >>> 11
    word ^= (word << 7) & 0x9d2c5680
    word ^= (word << 15) & 0xefc60000
    word ^= word >>> 18
    return word >>> 0
  }

  #twist(): void {
    const state = this.#state
    for (let i = 0; i < STATE_WORDS; i++) {
      const joined = (state[i]! & 0x80000000) | (state[(i + 1) % STATE_WORDS]! & 0x7fffffff)
      state[i] = state[(i + SHIFT_WORDS) % STATE_WORDS]! ^ (joined >>> 1) ^ (joined & 1 ? 0x9908b0df : 0)
    }
  }
}
