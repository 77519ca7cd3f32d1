import type { Tokenizer } from '../tokens/tokenizer.js'
import type { ModelCard, TokenizerCard } from './model-card.js'

/** The name of the card's encoding, if its tokenizer is one of tiktoken's. */
export function encodingName({ tokenizer }: ModelCard): string | undefined {
  return tokenizer.type === 'tiktoken' ? tokenizer.encoding : undefined
}

/** A model's tokenizer as callers see it: its kind, and whether and why it takes no text. */
export function describeTokenizer({ type }: TokenizerCard, { unavailable }: Pick<Tokenizer, 'unavailable'>) {
  return unavailable === undefined
    ? { type, available: true }
    : { type, available: false, reason: unavailable }
}
