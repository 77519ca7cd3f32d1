import type { Tokenizer } from '../first-layer/tokens/tokenizer.js'
import type { TokenizerCard } from './model-card.js'

/** A model's tokenizer as callers see it: its kind, whether it takes text, and why not. */
export function describeTokenizer({ type }: TokenizerCard, { unavailable }: Pick<Tokenizer, 'unavailable'>) {
  return unavailable === undefined
    ? { type, available: true }
    : { type, available: false, reason: unavailable }
}
