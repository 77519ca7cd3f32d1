import type { CorpusCard, DatasetCard } from './dataset-card.js'
import type { SharedBlocks } from './memory/shared-blocks.js'

/** A tokens file: a file of the disk, an object of a bucket, or blocks of memory that threads share. */
export type FileTokens = { readonly path: string }
export type ObjectTokens = { readonly key: string; readonly bytes: number }

/** Where a corpus's ids are, in its element type. All corpora of a process are in one kind of place. */
export type Tokens = FileTokens | ObjectTokens | SharedBlocks

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
