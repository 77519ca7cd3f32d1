import type { TokenStrings } from '../token-strings.js'

/** A tokenizer that the Rust library runs, as plain data. */
export interface ForeignSpec {
  /** The part of the file for which no tokenizer of our own stands: `model Unigram`. */
  readonly component: string
  /** tokenizer.json without truncation and padding, with the template that counts. */
  readonly json: string
  /** Literal → id. */
  readonly specialTokens: readonly (readonly [string, number])[]
  readonly strings: TokenStrings
  readonly endOfText: number | undefined
}
