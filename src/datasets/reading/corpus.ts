import type { Corpus, TokenSource } from '../../first-layer/datasets/corpus.js'
import { StoredBounds } from '../../first-layer/windows/document-bounds.js'
import type { CorpusContent } from '../content.js'
import type { CorpusCard } from '../dataset-card.js'
import { DiskTokens } from './disk-tokens.js'
import { MemoryTokens } from './memory-tokens.js'

/** A corpus's ids, and its tokens file as bytes. */
export interface CorpusTokens extends TokenSource {
  readBytes(position: number, out: Uint8Array): Promise<void>
  /** Keeps the ids readable, though the dataset is deleted, until the returned function is called. */
  hold(): () => void
  /** Lets go of what is only needed while the corpus is read. */
  rest(): void
}

/** A corpus as a thread reads it. */
export interface OpenCorpus extends Corpus {
  readonly card: CorpusCard
  readonly source: CorpusTokens
}

export function openCorpus({ card, starts, tokens }: CorpusContent): OpenCorpus {
  return {
    card,
    documents: new StoredBounds(starts, card.longest_document),
    source: 'path' in tokens ? new DiskTokens(tokens.path, card) : new MemoryTokens(tokens, card),
  }
}
