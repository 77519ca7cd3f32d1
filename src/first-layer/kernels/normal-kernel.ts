import { instantiate } from './kernels.js'
import { newMemory } from './shared-memory.js'

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
 * PyTorch's Mersenne Twister and its float32 `normal_` for blocks of 16, in a separate small memory, made at first use.
 * One kernel serves all generators of a thread: each call copies the generator's state in and out.
 */
export function normalKernel() {
  kernel ??= makeKernel()
  return kernel
}

let kernel: ReturnType<typeof makeKernel> | undefined

function makeKernel() {
  const memory = newMemory(PAGES)
  const exports = instantiate<Exports>('normal', memory)
  const ownState = new Uint32Array(memory.buffer, exports.STATE.value, STATE_WORDS)
  const ownWords = new Uint32Array(memory.buffer, exports.WORDS.value, STATE_WORDS)
  const numbers = new Float32Array(memory.buffer, exports.NUMBERS.value, CHUNK)
  return {
    /** Moves `state` (624 words) on to the next 624 words, and writes these, tempered, to `words`. */
    twist(state: Uint32Array, words: Uint32Array): void {
      ownState.set(state)
      exports.twist()
      state.set(ownState)
      words.set(ownWords)
    },

    /**
     * Fills `out`, a multiple of 16, with normal numbers from the words after the first `used` of `words`. Moves
     * `state` and `words` on; returns the new `used`.
     */
    fill(state: Uint32Array, words: Uint32Array, used: number, out: Float32Array, mean: number, std: number) {
      ownState.set(state)
      ownWords.set(words)
      for (let start = 0; start < out.length; start += CHUNK) {
        const count = Math.min(CHUNK, out.length - start)
        used = exports.fill(used, count, mean, std)
        out.set(count === CHUNK ? numbers : numbers.subarray(0, count), start)
      }
      state.set(ownState)
      words.set(ownWords)
      return used
    },
  }
}
