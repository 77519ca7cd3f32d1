import type { TokenStrings } from '../token-strings.js'

/** A tokenizer that the Rust library runs, as plain data; what is large lies in shared memory. */
export interface RustSpec {
  /** The part of the file for which no tokenizer of our own stands: `model Unigram`. */
  readonly component: string
  /** Literal → id. */
  readonly specialTokens: readonly (readonly [string, number])[]
  readonly strings: TokenStrings
  readonly endOfText: number | undefined
}
