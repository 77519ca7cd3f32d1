import { createHash, randomBytes } from 'node:crypto'
import { ObjectWriter, PART_BYTES } from '../../objects/object-writer.js'
import type { CorpusCard } from '../dataset-card.js'
import { FILES } from '../disk/folders.js'
import { insufficientStorage } from '../errors.js'
import type { DatasetFile, UploadPlace } from '../upload-place.js'
import { type Bucket, cardKey } from './bucket.js'
import { bucketUsage } from './bucket-usage.js'
import { cardText, readStoredCard } from './stored-card.js'

/** Memory that an upload holds at most: a part of each file. */
export const BUCKET_UPLOAD_BYTES = 2 * PART_BYTES

/** Bytes after which the quota is looked at again. */
const LOOK_BYTES = 8 * PART_BYTES

/**
 * An upload to objects under a name of its own, to which the dataset's card points in the end: it is written last, and only
 * where there is none, so that of two uploads of the same content one becomes the dataset, whole.
 */
export class BucketUpload implements UploadPlace {
  readonly #name = randomBytes(16).toString('hex')
  readonly #writers: Readonly<Record<DatasetFile, ObjectWriter>>
  #written = 0
  /** Where the quota is looked at. */
  #lookAt = 0
  #isClosed = false
  #hasCard = false

  constructor(
    private readonly bucket: Bucket,
    private readonly quota: number,
  ) {
    const writer = (file: DatasetFile) => new ObjectWriter(bucket.store, this.#key(file))
    this.#writers = { tokens: writer('tokens'), documents: writer('documents') }
  }

  async append(file: DatasetFile, bytes: Uint8Array): Promise<void> {
    await this.#writers[file].append(bytes)
    this.#written += bytes.length
    if (this.#written < this.#lookAt + LOOK_BYTES) return
    this.#lookAt = this.#written
    await this.#checkQuota()
  }

  async commit(card: CorpusCard): Promise<{ readonly card: CorpusCard; readonly isNew: boolean }> {
    const { bucket } = this
    await this.#checkQuota()
    this.#isClosed = true // from here on there may be objects
    for (const writer of Object.values(this.#writers)) await writer.close()
    const bytes = cardText(card, this.#name)
    const sha256 = createHash('sha256').update(bytes).digest('hex')
    this.#hasCard = true // it may be there, though the answer is lost
    if (await bucket.store.putNew(cardKey(bucket, card.id), { bytes, sha256 })) return { card, isNew: true }
    const there = await readStoredCard(bucket, card.id)
    // The answer to a first try was lost, and it was this card that the second one found.
    if (there?.files === this.#files) return { card, isNew: true }
    await this.#removeFiles().catch(() => {}) // a later start removes the rest
    return { card: (there?.card as CorpusCard | undefined) ?? card, isNew: false }
  }

  async abandon(): Promise<void> {
    for (const writer of Object.values(this.#writers)) await writer.abandon()
    if (this.#isClosed && !this.#hasCard) await this.#removeFiles()
  }

  async #removeFiles(): Promise<void> {
    for (const file of Object.keys(FILES) as DatasetFile[]) await this.bucket.store.remove(this.#key(file))
  }

  get #files(): string {
    return `${this.bucket.uploads}${this.#name}/`
  }

  #key(file: DatasetFile): string {
    return this.#files + FILES[file]
  }

  async #checkQuota(): Promise<void> {
    const used = await bucketUsage(this.bucket)
    if (used + this.#written > this.quota)
      throw insufficientStorage('DATA_QUOTA_BYTES', used, this.quota, this.#written)
  }
}
