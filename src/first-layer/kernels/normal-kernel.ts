import { instantiate } from './kernels.js'

export const STATE_WORDS = 624

/** Numbers in and out of one Box–Muller block. */
export const BLOCK = 16

/** Numbers made in one call: they stay in the processor's second-level cache until they are copied out. */
const CHUNK = 1 << 14
const PAGES = 2

interface Exports {
  STATE: WebAssembly.Global
  WORDS: WebAssembly.Global
  NUMBERS: WebAssembly.Global
  twist(): void
  fill(used: number, count: number, mean: number, std: number): number
}

/**
 * PyTorch's Mersenne Twister and its float32 `normal_` for blocks of 16, in a separate small memory. One kernel
 * serves all generators of a thread: each call copies the generator's state in and out.
 */
class NormalKernel {
  readonly #exports: Exports
  readonly #state: Uint32Array
  readonly #words: Uint32Array
  readonly #numbers: Float32Array

  constructor() {
    const memory = new WebAssembly.Memory({ initial: PAGES, maximum: PAGES, shared: true })
    this.#exports = instantiate<Exports>('normal', memory)
    const { STATE, WORDS, NUMBERS } = this.#exports
    this.#state = new Uint32Array(memory.buffer, STATE.value, STATE_WORDS)
    this.#words = new Uint32Array(memory.buffer, WORDS.value, STATE_WORDS)
    this.#numbers = new Float32Array(memory.buffer, NUMBERS.value, CHUNK)
  }

  /** Moves `state` (624 words) on to the next 624 words, and writes these, tempered, to `words`. */
  twist(state: Uint32Array, words: Uint32Array): void {
    this.#state.set(state)
    this.#exports.twist()
    state.set(this.#state)
    words.set(this.#words)
  }

  /**
   * Fills `out`, a multiple of 16, with normal numbers from the words after the first `used` of `words`. Moves `state`
   * and `words` on; returns the new `used`.
   */
  fill(
    state: Uint32Array,
    words: Uint32Array,
    used: number,
    out: Float32Array,
    mean: number,
    std: number,
  ): number {
    this.#state.set(state)
    this.#words.set(words)
    for (let start = 0; start < out.length; start += CHUNK) {
      const count = Math.min(CHUNK, out.length - start)
      used = this.#exports.fill(used, count, mean, std)
      out.set(count === CHUNK ? this.#numbers : this.#numbers.subarray(0, count), start)
    }
    state.set(this.#state)
    words.set(this.#words)
    return used
  }
}

let kernel: NormalKernel | undefined

/** The thread's kernel, made at first use. */
export function normalKernel(): NormalKernel {
  kernel ??= new NormalKernel()
  return kernel
}
