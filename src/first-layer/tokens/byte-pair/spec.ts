import type { AddedToken } from '../added-token.js'
import type { SpecialTemplate } from '../special-template.js'
import type { MergeOrder } from './kernel-tables.js'
import type { Pattern } from './patterns.js'

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
  /** What `addSpecialTokens` puts around a document. */
  readonly template: SpecialTemplate
  readonly endOfText: number | undefined
}
