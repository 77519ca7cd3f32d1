import { instantiate } from './kernels.js'

/**
 * Counts the pieces of texts in a memory of its own, of at most 4 GiB. Addresses are byte offsets into `memory`, whose
 * buffer is another one after it has grown: read `memory.buffer` again after each call.
 */
export interface CountKernel {
  readonly memory: { readonly buffer: ArrayBuffer }
  /** As of the tokenizer's kernel: where to write the classes of characters. */
  reserveClasses(bytes: number, classes: number): number
  /** Reserves `bytes`; returns their address. */
  reserve(bytes: number): number
  /**
   * Call it before the first text. `pattern`: the address of a `PatternTable`'s transitions; the two seeds are a hash's
   * key; `leavesGaps`: text that the pattern does not match is left out.
   */
  begin(pattern: number, seedLow: bigint, seedHigh: bigint, leavesGaps: boolean): void
  /** Where the next `bytes` bytes of the text, or of a list of pieces, are to be written. */
  makeRoom(bytes: number): number
  /** Counts the pieces of the text, of which `bytes` more have been written; with `isEnd` it ends there. */
  countText(bytes: number, isEnd: boolean): void
  /** Adds a piece that has come `count` times, of `length` bytes in what was written where `makeRoom` said. */
  addPiece(at: number, length: number, count: number): void
  /** The table: 2 to the power of `bits` slots of 24 bytes, of which `used` have a piece (see its source). */
  readonly slots: { readonly value: number }
  readonly bits: { readonly value: number }
  readonly used: { readonly value: number }
}

export function instantiateCountKernel(): CountKernel {
  return instantiate<CountKernel>('count')
}
