import { instantiate } from './wasm-module.js'

/** Bytes that may be touched behind the output, and read behind an entry's text. */
export const TOKEN_JSON_SLACK = 64

/**
 * Token ids as JSON, in a memory of its own. Pointers are byte offsets into it; ids are int32.
 *
 * An entry holds an id's JSON up to its offsets, `{"id":15496,"bytes":"SGVsbG8=","text":"Hello","start":`, behind two
 * uint32: the length of this text, and the number of the token's own bytes.
 */
export interface TokenJsonKernel {
  /** `reserve` replaces the buffer: read `memory.buffer` again after it. */
  readonly memory: { readonly buffer: ArrayBuffer }
  /** Reserves `bytes` zeroed bytes, which are never freed; returns where they begin, a multiple of 64. */
  reserve(bytes: number): number

  /** Bytes of the ids with a comma behind each. */
  measureIds(ids: number, count: number): number
  /** Bytes of the tokens with a comma behind each, up to the first without an entry; parameters as in `writeTokens`. */
  measureTokens(entries: number, ids: number, count: number, start: number): number
  /** Writes ids with a comma behind each, `15496,11,`: at most 12 bytes an id. Returns the bytes written. */
  writeIds(out: number, ids: number, count: number): number
  /**
   * Writes as many of `count` tokens as `room` bytes take, a comma behind each; returns the bytes written.
   *
   * @param entries address of a uint32 for each id, the address of its entry; 0: it has none
   * @param start byte offset in the text at which the first token begins
   */
  writeTokens(out: number, room: number, entries: number, ids: number, count: number, start: number): number
  /** The number of tokens last measured or written, and the offset in the text at which they end. */
  readonly done: { readonly value: number }
  readonly end: { readonly value: number }
}

/** The kernel with an empty memory. Synchronous; compiles the module once per thread. */
export function instantiateTokenJsonKernel(): TokenJsonKernel {
  return instantiate<TokenJsonKernel>('token-json')
}
