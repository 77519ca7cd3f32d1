import type { RustSpec } from '../rust/rust-tokenizer.js'
import { tokenStrings } from '../token-strings.js'
import type { JsonObject } from './fields.js'
import type { FileModel } from './model-vocabulary.js'
import type { TokenizerFacts } from './tokenizer-facts.js'

/** The Rust library's input, and the facts for the threads that serve. */
export interface RustFile {
  readonly spec: RustSpec
  /** tokenizer.json without truncation and padding. */
  readonly json: string
}

/** @param component the component for which the Rust library is needed: `pre_tokenizer Whitespace` */
export function rustSpecOf(
  root: JsonObject,
  model: FileModel,
  facts: TokenizerFacts,
  component: string,
): RustFile {
  const added = facts.addedTokens.map(({ content, id }) => [content, id] as const)
  const spec = {
    component,
    specialTokens: facts.specialTokens,
    strings: tokenStrings([...model.vocabulary, ...added]),
    endOfText: facts.endOfText,
  }
  return { spec, json: JSON.stringify({ ...root, truncation: null, padding: null }) }
}
