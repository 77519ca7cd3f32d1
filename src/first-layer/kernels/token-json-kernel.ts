import { instantiate } from './wasm-module.js'

/** How many bytes behind the output may be touched, and behind an entry's text may be read. */
export const TOKEN_JSON_SLACK = 64

/**
 * Token ids as JSON, in a memory of its own. Pointers are byte offsets into it; ids are int32.
 *
 * An entry holds what one id adds to the JSON before its offsets, `{"id":15496,"bytes":"SGVsbG8=","text":"Hello","start":`:
 * uint32 its length, uint32 the token's own bytes, then the text.
 */
export interface TokenJsonKernel {
  /** The buffer is replaced whenever `reserve` is called: read `memory.buffer` again then. */
  readonly memory: { readonly buffer: ArrayBuffer }
  /** Reserves `bytes` zeroed bytes for ever; returns where they begin, a multiple of 64. */
  reserve(bytes: number): number

  /** Bytes that ids take with a comma behind each. */
  measureIds(ids: number, count: number): number
  /**
   * Bytes that tokens take with a comma behind each, up to the first without an entry; parameters as in
   * `writeTokens`.
   */
  measureTokens(entries: number, ids: number, count: number, start: number): number
  /** Writes ids with a comma behind each, `15496,11,`: at most 12 bytes an id. Returns the bytes written. */
  writeIds(out: number, ids: number, count: number): number
  /**
   * Writes as many of `count` tokens as `room` bytes take, a comma behind each; returns the bytes written.
   *
   * @param entries address of a uint32 for each id: where its entry is, 0: there is none
   * @param start byte offset in the text at which the first token begins
   */
  writeTokens(out: number, room: number, entries: number, ids: number, count: number, start: number): number
  /** How many tokens were measured or written last, and at which offset in the text they end. */
  readonly done: { readonly value: number }
  readonly end: { readonly value: number }
}

/** The kernel with a memory that is still empty. Synchronous; the module is compiled once per thread. */
export function instantiateTokenJsonKernel(): TokenJsonKernel {
  return instantiate<TokenJsonKernel>('token-json')
}
