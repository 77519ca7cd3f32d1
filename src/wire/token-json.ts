import { TOKEN_JSON_SLACK } from '../first-layer/kernels/token-json-kernel.js'
import type { Tokenizer } from '../first-layer/tokens/tokenizer.js'
import { TokenEntries } from './token-entries.js'

/** Most ids of one call. */
export const TOKEN_SLICE = 256

/** Bytes that one call writes at most. */
const SCRATCH_BYTES = 1 << 16

/** Measures and writes the tokens of one tokenizer as JSON, a slice of at most {@link TOKEN_SLICE} ids at a time. */
export class TokenJson {
  readonly #entries: TokenEntries
  /** Addresses of the slice, and of what the kernel writes. */
  readonly #ids: number
  readonly #scratch: number
  /** Offset in the text at which the tokens measured or written last end. */
  end = 0
  /** How many tokens were written last. */
  written = 0

  constructor(tokenizer: Tokenizer) {
    this.#entries = new TokenEntries(tokenizer)
    this.#ids = this.#entries.reserve(4 * TOKEN_SLICE)
    this.#scratch = this.#entries.reserve(SCRATCH_BYTES + TOKEN_JSON_SLACK)
  }

  /** Bytes that `ids` take with a comma behind each. */
  measureIds(ids: Int32Array): number {
    this.#take(ids)
    return this.#entries.kernel.measureIds(this.#ids, ids.length)
  }

  /**
   * Bytes that the tokens of `ids` take with a comma behind each. The first begins at byte `start` of the text.
   */
  measureTokens(ids: Int32Array, start: number): number {
    const { kernel, table } = this.#entries
    this.#take(ids)
    this.end = start
    let bytes = 0
    for (let done = 0; ; this.#entries.make(ids[done])) {
      bytes += kernel.measureTokens(table, this.#ids + 4 * done, ids.length - done, this.end)
      this.end = kernel.end.value
      done += kernel.done.value
      if (done === ids.length) return bytes
    }
  }

  /** Writes ids, `15496,11,`, to `out` from `at` on, which has room; returns where they end. */
  writeIds(out: Uint8Array, at: number, ids: Int32Array): number {
    this.#take(ids)
    return this.#copy(out, at, this.#entries.kernel.writeIds(this.#scratch, this.#ids, ids.length))
  }

  /**
   * Writes tokens that have been measured, `{"id":15496,…,"start":0,"end":5},`, to `out` from `at` on while they fit;
   * returns where they end.
   */
  writeTokens(out: Uint8Array, at: number, ids: Int32Array, start: number): number {
    const { kernel, table } = this.#entries
    this.#take(ids)
    const room = Math.min(out.length - at, SCRATCH_BYTES)
    const bytes = kernel.writeTokens(this.#scratch, room, table, this.#ids, ids.length, start)
    this.end = kernel.end.value
    this.written = kernel.done.value
    return this.#copy(out, at, bytes)
  }

  #take(ids: Int32Array): void {
    this.#entries.words.set(ids, this.#ids >>> 2)
  }

  #copy(out: Uint8Array, at: number, bytes: number): number {
    out.set(this.#entries.bytes.subarray(this.#scratch, this.#scratch + bytes), at)
    return at + bytes
  }
}

const byTokenizer = new WeakMap<Tokenizer, TokenJson>()

/** The thread's writer for a tokenizer. Calls never overlap, so that all answers can share it. */
export function tokenJson(tokenizer: Tokenizer): TokenJson {
  let json = byTokenizer.get(tokenizer)
  if (json === undefined) {
    json = new TokenJson(tokenizer)
    byTokenizer.set(tokenizer, json)
  }
  return json
}
