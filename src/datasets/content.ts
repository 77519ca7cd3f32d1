import type { CorpusCard, DatasetCard } from './dataset-card.js'

/** Where a corpus's ids are: a file, or blocks of memory that threads share, in the corpus's element type. */
export type Tokens =
  | { readonly path: string }
  | { readonly blocks: readonly SharedArrayBuffer[]; readonly blockBytes: number }

/** What a thread needs to read a corpus. Its arrays are shared by all threads. */
export interface CorpusContent {
  readonly card: CorpusCard
  /** Of each document, and behind them where the last one ends. */
  readonly starts: Float64Array
  readonly tokens: Tokens
}

/** What there is under an id. */
export type DatasetContent = CorpusContent | { readonly card: Exclude<DatasetCard, CorpusCard> }

export function isCorpus(content: DatasetContent): content is CorpusContent {
  return 'tokens' in content
}
