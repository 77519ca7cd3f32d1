import type { Tokens } from './content.js'
import type { DatasetCard, MixtureCard, Stored } from './dataset-card.js'

/** A corpus as it is stored. */
export interface StoredCorpus {
  readonly tokens: Tokens
  /** Reads the documents' starts into `out`, from the `first`-th on. */
  readStarts(out: BigUint64Array, first: number): Promise<void>
}

/** Where datasets are kept, as the keeper sees it. */
export interface Storage {
  readonly stored: Stored
  /** The card of a dataset; undefined: there is none. */
  card(id: string): Promise<DatasetCard | undefined>
  /** All cards, in no order. */
  cards(): Promise<readonly DatasetCard[]>
  /** @returns undefined where it is gone */
  corpus(id: string): Promise<StoredCorpus | undefined>
  /** @returns false where it was there already */
  putMixture(card: MixtureCard): Promise<boolean>
  /** @returns whether it was there */
  remove(id: string): Promise<boolean>
  /** Opens a file that is kept beside a dataset; undefined: there is none. */
  openBeside(id: string, name: string): Promise<BesideFile | undefined>
  /** Keeps a file beside a dataset where there is room for it; others there that were not read for long make room. */
  writeBeside(id: string, name: string, parts: readonly Uint8Array[]): Promise<void>
}

/** A file beside a dataset, read in order. */
export interface BesideFile {
  readonly size: number
  /** Fills `out` with the next bytes. @throws Error where the file ends before */
  read(out: Uint8Array): Promise<void>
  close(): Promise<void>
}
