import type { CorpusCard, DatasetCard } from './dataset-card.js'

/** What a thread needs to read a corpus. */
export interface CorpusContent {
  readonly card: CorpusCard
  /** Of each document, and behind them where the last one ends; shared by all threads. */
  readonly starts: Float64Array
  /** The file of ids. */
  readonly path: string
}

/** What there is under an id. */
export type DatasetContent = CorpusContent | { readonly card: Exclude<DatasetCard, CorpusCard> }

export function isCorpus(content: DatasetContent): content is CorpusContent {
  return 'starts' in content
}
