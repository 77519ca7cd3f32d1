import type { TokenSource } from '../../first-layer/datasets/corpus.js'

/** A corpus's ids, and its tokens file as bytes. */
export interface CorpusTokens extends TokenSource {
  /** Fills `out` with the file's bytes from `position` on. */
  readBytes(position: number, out: Uint8Array): Promise<void>
  /** Keeps the ids readable, though the dataset is deleted, until the returned function is called. */
  hold(): () => void
  /** Lets go of what is only needed while the corpus is read. */
  rest(): void
}
