import type { RustSpec } from '../rust/rust-spec.js'
import { tokenStrings } from '../token-strings.js'
import type { JsonObject } from './fields.js'
import type { FileModel } from './model-vocabulary.js'
import type { TokenizerFacts } from './tokenizer-facts.js'

/** The Rust library's input, and the facts for the threads that serve. */
export interface RustFile {
  readonly spec: RustSpec
  /** tokenizer.json without truncation and padding, with the post-processor that transformers uses. */
  readonly json: string
}

/** @param component the component for which the Rust library is needed: `pre_tokenizer Whitespace` */
export function rustSpecOf(
  root: JsonObject,
  model: FileModel,
  facts: TokenizerFacts,
  component: string,
): RustFile {
  const changed: Record<string, unknown> = { ...root, truncation: null, padding: null }
  if (facts.isTemplateReplaced) changed.post_processor = postProcessorOf(facts)
  const added = facts.addedTokens.map(({ content, id }) => [content, id] as const)
  const spec = {
    component,
    specialTokens: facts.specialTokens,
    strings: tokenStrings([...model.vocabulary, ...added]),
    endOfText: facts.endOfText,
  }
  return { spec, json: JSON.stringify(changed) }
}

/** `[bos] $A [eos]` in tokenizer.json's form; null if the template has no ids. */
function postProcessorOf({ template }: TokenizerFacts): JsonObject | null {
  const { before, after } = template!
  if (before.length + after.length === 0) return null
  const sequence = (id: 'A' | 'B') => ({ Sequence: { id, type_id: 0 } })
  const special = (id: number) => ({ SpecialToken: { id: String(id), type_id: 0 } })
  const single = [...before.map(special), sequence('A'), ...after.map(special)]
  const tokens = [...before, ...after].map((id) => [
    String(id),
    { id: String(id), ids: [id], tokens: [String(id)] },
  ])
  return {
    type: 'TemplateProcessing',
    single,
    pair: [...single, sequence('B')],
    special_tokens: Object.fromEntries(tokens),
  }
}
