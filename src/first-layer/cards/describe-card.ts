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

/**
 * Whether a static model takes ids in place of texts. Ids that mean other tokens would give wrong embeddings without an
 * error, so models with a tokenizer of their own take none unless their folder says so.
 */
export function acceptsIds({ pooling, tokenizer }: Pick<ModelCard, 'pooling' | 'tokenizer'>): boolean {
  return pooling?.acceptIds ?? tokenizer.type === 'tiktoken'
}
