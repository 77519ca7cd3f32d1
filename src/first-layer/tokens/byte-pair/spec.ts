import type { AddedToken } from '../added-token.js'
import type { SpecialTemplate } from '../special-template.js'
import type { MergeOrder } from './kernel-tables.js'
import type { Pattern } from './patterns.js'

/** A byte-level BPE from tokenizer.json, as plain data that can be posted to a thread. */
export interface BytePairSpec {
  readonly pattern: Pattern
  /** Puts a blank before a text, and before the text behind an added token, that begins with none. */
  readonly addsBlank: boolean
  /** Brings text into Unicode's normal form C. */
  readonly normalizes: boolean
  /** The tokens that merging can give, in the order of the merges, single bytes first. */
  readonly merged: MergeOrder
  /** Tokens that no merge gives, each for pieces equal to it; undefined: there are none. */
  readonly whole: MergeOrder | undefined
  /** The id of each token of `merged`, then of each of `whole`. */
  readonly ids: Int32Array
  /** All tokens by id, including added ones and those that no merge gives. */
  readonly vocabulary: MergeOrder
  readonly addedTokens: readonly AddedToken[]
  /** The ids around a document under `addSpecialTokens`. */
  readonly template: SpecialTemplate
  readonly endOfText: number | undefined
}
