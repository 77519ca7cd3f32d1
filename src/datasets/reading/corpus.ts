import type { Corpus } from '../../first-layer/datasets/corpus.js'
import { StoredBounds } from '../../first-layer/windows/document-bounds.js'
import type { CorpusContent } from '../content.js'
import type { CorpusCard } from '../dataset-card.js'
import type { CorpusTokens } from './corpus-tokens.js'

/** A corpus as a thread reads it. */
export interface OpenCorpus extends Corpus {
  readonly card: CorpusCard
  readonly source: CorpusTokens
}

/** @param openTokens for where this process has its datasets */
export function openCorpus(
  { card, starts, tokens }: CorpusContent,
  openTokens: (tokens: CorpusContent['tokens'], card: CorpusCard) => CorpusTokens,
): OpenCorpus {
  return {
    card,
    documents: new StoredBounds(starts, card.longest_document),
    source: openTokens(tokens, card),
  }
}
