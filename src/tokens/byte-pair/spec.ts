import type { MergeOrder } from './kernel-tables.js'
import type { Pattern } from './patterns.js'

/** A token that is found in the text before it is cut into pieces. */
export interface AddedToken {
  readonly literal: string
  readonly id: number
  /** Special tokens count where they are allowed; any other added token always does. */
  readonly isSpecial: boolean
  /** Whether the token takes the whitespace before and behind it along. */
  readonly stripsBefore: boolean
  readonly stripsBehind: boolean
}

/** A byte-level BPE from tokenizer.json, as plain data that can be posted to a thread. */
export interface BytePairSpec {
  readonly pattern: Pattern
  /** Whether a text, and what follows an added token, gets a blank in front unless it begins with one. */
  readonly addsBlank: boolean
  /** Whether text is brought into Unicode's normal form C. */
  readonly normalizes: boolean
  /** The tokens that merging can give, in the order of the merges, single bytes first. */
  readonly merged: MergeOrder
  /** Tokens that no merge gives, and that count where they are a whole piece; undefined where there are none. */
  readonly whole: MergeOrder | undefined
  /** The id of each token of `merged`, then of each of `whole`. */
  readonly ids: Int32Array
  /** All tokens by id, those that no merge gives and the added ones among them. */
  readonly vocabulary: MergeOrder
  readonly addedTokens: readonly AddedToken[]
  /** What `addSpecialTokens` puts before and behind a document. */
  readonly before: readonly number[]
  readonly behind: readonly number[]
  readonly endOfText: number | undefined
}
