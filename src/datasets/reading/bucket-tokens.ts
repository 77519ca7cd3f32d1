import type { CachedObject } from '../bucket/block-cache.js'
import { type Bucket, cachedFile } from '../bucket/bucket.js'
import type { ObjectTokens } from '../content.js'
import type { CorpusCard } from '../dataset-card.js'
import type { CorpusTokens } from './corpus-tokens.js'
import { readIds } from './read-ids.js'

/** A corpus's ids in an object, read through the cache of blocks. What is deleted can be read as far as it is cached. */
export class BucketTokens implements CorpusTokens {
  readonly #file: CachedObject

  constructor(
    private readonly bucket: Bucket,
    { key, bytes }: ObjectTokens,
    private readonly card: CorpusCard,
  ) {
    this.#file = cachedFile(bucket, key, bytes, card)
  }

  /** @throws InletError `dataset_not_found` where the dataset has been deleted, `storage_unavailable` */
  read(place: number, out: Int32Array): Promise<void> {
    return readIds(this.card, place, out, (position, bytes) => this.readBytes(position, bytes))
  }

  readBytes(position: number, out: Uint8Array): Promise<void> {
    return this.bucket.blocks.read(this.#file, position, out)
  }

  hold(): () => void {
    return () => {}
  }

  rest(): void {}
}
