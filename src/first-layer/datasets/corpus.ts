import type { DocumentBounds } from '../windows/document-bounds.js'

/** The ids of a dataset, wherever they lie. */
export interface TokenSource {
  /**
   * Reads the ids `place … place + out.length − 1`; a promise where they come from outside this thread. Several reads
   * may be under way at once.
   */
  read(place: number, out: Int32Array): Promise<unknown> | undefined
}

/** A dataset's ids, and where its documents stand in them. */
export interface Corpus {
  readonly source: TokenSource
  readonly documents: DocumentBounds
}
