import type { AddedToken } from '../added-token.js'
import type { SpecialTemplate } from '../special-template.js'
import type { Roles } from './roles.js'

/** The facts in a tokenizer's files beside the model and its components. Plain data. */
export interface TokenizerFacts {
  readonly addedTokens: readonly AddedToken[]
  /** Literal → id of the added tokens that are special, in the file's order. */
  readonly specialTokens: readonly (readonly [string, number])[]
  readonly roles: Roles
  /** Role → id; absent if the literal is no token of the file. */
  readonly roleIds: Readonly<Partial<Record<keyof Roles, number>>>
  /** The separator of documents: the id of `eos`, else of `sep`, else of `<|endoftext|>`. */
  readonly endOfText: number | undefined
  /** Ids around a document. Undefined: the file's post-processor does more than add ids. */
  readonly template: SpecialTemplate | undefined
}
