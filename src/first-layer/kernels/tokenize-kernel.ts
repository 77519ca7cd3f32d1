import { instantiate } from './kernels.js'

/** Results of `buildSome`. */
export const DONE = -1
export const MORE = -2

/** The variables that hold the state of the work on a document. */
export const STATE = [
  ...(['textEnd', 'pieceRun', 'pieceStart', 'scanEnd', 'lastMatch'] as const),
  ...(['isLong', 'stackStart', 'stackEnd', 'stackDepth', 'carriedCount'] as const),
]

/**
 * Byte-pair encoding of UTF-8 in a separate memory. Addresses are byte offsets into `memory`. Growth replaces its
 * buffer: read `memory.buffer` again after each call.
 */
export interface TokenizeKernel extends Record<(typeof STATE)[number], { value: number }> {
  readonly memory: { readonly buffer: ArrayBuffer }

  // Loading, once, in this order.

  /** Returns where to write the `bytes` of a `PatternTable`'s classes. */
  reserveClasses(bytes: number, classes: number): number
  /** Reserves `bytes`, which are never freed; returns their address. */
  reserve(bytes: number): number
  /** Reserves room for `count` tokens of `bytes` bytes in all, which the host writes to the two addresses below. */
  placeTokens(count: number, bytes: number): void
  /** Addresses of all tokens' bytes, and of the offsets at which each begins (uint32, one more than tokens). */
  readonly tokenBytes: { readonly value: number }
  readonly tokenStarts: { readonly value: number }
  /**
   * Begins to build the tables; `ids` is the address of an id for each token (int32; −1: its bytes' ids stand for it), 0:
   * tokens are ids. The two seeds are a hash's key, `whole` is the number of `addWhole` calls to come.
   */
  beginTables(ids: number, seedLow: bigint, seedHigh: bigint, whole: number): void
  /**
   * Builds on, about a microsecond for each of `steps`; {@link DONE}, {@link MORE}, or the first token that is not the
   * merge of two before it (the encoder relies on the order).
   */
  buildSome(steps: number): number
  /** Adds a token beside those placed, for pieces that are this token as a whole. Its bytes must stay at `at`. */
  addWhole(token: number, at: number, length: number): void
  /** `pattern`: the address of a `PatternTable`'s transitions. */
  setUp(pattern: number): void

  // The order in which merges form tokens, without the rest.

  /** Reserves room for the pairs that merge to `tokens` tokens. */
  reservePairs(tokens: number): void
  /** Notes a single byte's token as both of its own halves. */
  setHalves(token: number, left: number, right: number): void
  /** Adds the next token, to which `left` and `right` merge. */
  addPair(left: number, right: number, token: number): void
  /** The token that a pair merges to, or −1. */
  mergedId(left: number, right: number): number
  /** Whether merging the bytes of both, one behind the other, with the pairs so far gives the same two tokens again. */
  staysApart(left: number, right: number): number

  // Encoding.

  /** The address at which the next `bytes` of the document are to be written. */
  makeRoom(bytes: number): number
  /**
   * Works on the document after `bytes` were written; with `isEnd` it ends there and the next begins.
   * @returns the number n of ids at `out`, or −1 − n if work is left for `run(0, isEnd)`
   */
  run(bytes: number, isEnd: boolean): number
  readonly out: { readonly value: number }
  /** Characters that begin in `bytes` bytes of UTF-8. */
  countCharacters(at: number, bytes: number): number

  // Switching to another document and back.

  /** Forgets the document. */
  clear(): void
  /** Moves what is needed of the document's text to `text`, with room for `bytes` more. */
  compact(bytes: number): void
  /** The text, of which `textEnd` bytes are needed; flags of its places and a stack, needed if `isLong`. */
  readonly text: { readonly value: number }
  readonly dead: { readonly value: number }
  readonly stack: { readonly value: number }
}

/** A tokenizer without tables, in a separate memory. */
export function instantiateTokenizeKernel(): TokenizeKernel {
  return instantiate<TokenizeKernel>('tokenize')
}
