import type { TokenizerCard } from './model-card.js'

/** A model's tokenizer as callers see it: its kind, whether it takes text, and why not. */
export function describeTokenizer(tokenizer: TokenizerCard) {
  if (tokenizer.type !== 'none') return { type: tokenizer.type, available: true }
  return { type: 'none', available: false, reason: tokenizer.reason }
}
