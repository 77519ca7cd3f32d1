import { instantiate } from './wasm-module.js'

/** Bytes behind the last group of three that `toBase64` may read, and characters that it may write there. */
export const BASE64_OVERHANG = 16

/** Bytes to base64, in a memory of its own. Pointers are byte offsets into this memory. */
export interface Base64Kernel {
  /** The buffer is replaced whenever `reserve` is called: read `memory.buffer` again then. */
  readonly memory: { readonly buffer: ArrayBuffer }
  /** Reserves `bytes` for ever; returns where they begin, a multiple of 64. */
  reserve(bytes: number): number
  /** Writes `groups` groups of three bytes as four characters each: 0, 1, 255 → `AAH/`. */
  toBase64(out: number, input: number, groups: number): void
}

/** The kernel with a memory that is still empty. Synchronous; the module is compiled once per thread. */
export function instantiateBase64Kernel(): Base64Kernel {
  return instantiate<Base64Kernel>('base64')
}
