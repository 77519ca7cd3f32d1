import type { CorpusCard } from './dataset-card.js'

/** The two files of a dataset that an upload writes. */
export type DatasetFile = 'tokens' | 'documents'

/** Where an upload's bytes go, out of readers' sight until it is whole. */
export interface UploadPlace {
  /**
   * Appends bytes to a file; they are read no more once this settles.
   *
   * @throws InletError `insufficient_storage`: nothing of the upload stays
   */
  append(file: DatasetFile, bytes: Uint8Array): Promise<void>
  /**
   * Makes the upload a dataset, all at once.
   *
   * @returns the card of what is there: that of an earlier upload, where it had the same content
   */
  commit(card: CorpusCard): Promise<{ readonly card: CorpusCard; readonly isNew: boolean }>
  /** Removes what was written. */
  abandon(): Promise<void>
}
