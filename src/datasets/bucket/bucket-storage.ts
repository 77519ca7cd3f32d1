import { createHash } from 'node:crypto'
import { ID_DTYPES } from '../../first-layer/datasets/id-dtypes.js'
import { Gate } from '../../objects/gate.js'
import { StorageError } from '../../objects/storage-error.js'
import { type CorpusCard, type DatasetCard, isMixture, type MixtureCard } from '../dataset-card.js'
import { CARD_FILE, FILES, isDatasetId, OtherLayout } from '../disk/folders.js'
import type { BesideFile, Storage, StoredCorpus } from '../storage.js'
import { BesideObjects } from './beside-objects.js'
import { type Bucket, cachedFile, cardKey } from './bucket.js'
import { cardText, readStoredCard, type StoredCard } from './stored-card.js'

/** So long a card is taken to be there without a look. */
const SURE_MS = 10_000
/** And so long while a look is on its way: who reads on and on never waits for one. */
const SHOWN_MS = 30_000
/** Cards that are read at the same time. */
const CARDS_AT_ONCE = 16

/** Told of what is found in the bucket. */
export interface BucketStorageEvents {
  /** A card cannot be read, and is left alone. */
  refused(error: OtherLayout): void
  /** A dataset has been deleted, or has other files, by another process. */
  gone(id: string): void
}

interface Known extends StoredCard {
  checked: number
  /** The card's, where a listing has told it. */
  readonly tag: string | undefined
}

/**
 * Datasets as objects: every process on the same bucket sees the same. What is known of a dataset lasts through a time in
 * which the storage is away, since its bytes never change.
 */
export class BucketStorage implements Storage {
  readonly stored = 'bucket'
  readonly #known = new Map<string, Known>()
  readonly #looks = new Map<string, Promise<DatasetCard | undefined>>()
  readonly #refused = new Set<string>()
  readonly #beside: BesideObjects

  constructor(
    private readonly bucket: Bucket,
    private readonly events: BucketStorageEvents,
  ) {
    this.#beside = new BesideObjects(bucket.store)
  }

  async card(id: string): Promise<DatasetCard | undefined> {
    if (!isDatasetId(id)) return undefined
    const known = this.#known.get(id)
    if (known === undefined) return this.#look(id)
    const age = performance.now() - known.checked
    if (age < SURE_MS) return known.card
    const look = this.#look(id).catch((error) => {
      if (error instanceof StorageError) return known.card
      throw error
    })
    if (age >= SHOWN_MS) return look
    look.catch(() => {}) // the next look tells it
    return known.card
  }

  /** Reads those cards that have come or changed since the last time. */
  async cards(): Promise<readonly DatasetCard[]> {
    const { datasets, store } = this.bucket
    const gate = new Gate(CARDS_AT_ONCE)
    const reads: Promise<DatasetCard | undefined>[] = []
    const there = new Set<string>()
    for await (const { key, tag } of store.list(datasets)) {
      const [id = '', file] = key.slice(datasets.length).split('/')
      if (file !== CARD_FILE || !isDatasetId(id)) continue
      there.add(id)
      const known = this.#known.get(id)
      reads.push(
        known !== undefined && known.tag === tag
          ? Promise.resolve(known.card)
          : gate.run(() => this.#look(id, tag)),
      )
    }
    const cards = await Promise.all(reads)
    for (const [id, { checked }] of this.#known)
      if (!there.has(id) && performance.now() - checked > SURE_MS) this.#forget(id)
    return cards.filter((card) => card !== undefined)
  }

  async corpus(id: string): Promise<StoredCorpus | undefined> {
    const card = await this.card(id)
    const files = this.#known.get(id)?.files
    if (card === undefined || files === undefined || isMixture(card)) return undefined
    const { bucket } = this
    const documents = cachedFile(bucket, files + FILES.documents, 8 * (card.num_documents + 1), card)
    return {
      tokens: { key: files + FILES.tokens, bytes: card.num_tokens * ID_DTYPES[card.dtype].bytes },
      async readStarts(out, first) {
        const bytes = new Uint8Array(out.buffer, out.byteOffset, out.byteLength)
        await bucket.blocks.read(documents, 8 * first, bytes)
      },
    }
  }

  async putMixture(card: MixtureCard): Promise<boolean> {
    const bytes = cardText(card)
    const sha256 = createHash('sha256').update(bytes).digest('hex')
    return this.bucket.store.putNew(cardKey(this.bucket, card.id), { bytes, sha256 })
  }

  /** The card goes first: without it there is no dataset, whatever is left of its files. */
  async remove(id: string): Promise<boolean> {
    if (!isDatasetId(id)) return false
    const { store, datasets } = this.bucket
    const there = await readStoredCard(this.bucket, id)
    if (there === undefined) return false
    await store.remove(cardKey(this.bucket, id))
    this.#known.delete(id)
    try {
      for (const name of isMixture(there.card) ? [] : Object.values(FILES))
        await store.remove(there.files + name)
      for await (const { key } of store.list(`${datasets}${id}/`)) await store.remove(key)
    } catch (error) {
      if (!(error instanceof StorageError)) throw error // the next start removes the rest
    }
    return true
  }

  openBeside(id: string, name: string): Promise<BesideFile | undefined> {
    return this.#beside.open(`${this.bucket.datasets}${id}/`, name)
  }

  async writeBeside(id: string, name: string, parts: readonly Uint8Array[]): Promise<void> {
    const card = this.#known.get(id)?.card as CorpusCard | undefined
    if (card !== undefined)
      await this.#beside.write(`${this.bucket.datasets}${id}/`, name, parts, card.size_bytes)
  }

  /** Reads a card anew; several callers at once share one look. */
  #look(id: string, tag?: string): Promise<DatasetCard | undefined> {
    const under = this.#looks.get(id) ?? this.#read(id, tag).finally(() => this.#looks.delete(id))
    this.#looks.set(id, under)
    return under
  }

  async #read(id: string, tag: string | undefined): Promise<DatasetCard | undefined> {
    let there: StoredCard | undefined
    try {
      there = await readStoredCard(this.bucket, id)
    } catch (error) {
      if (!(error instanceof OtherLayout)) throw error
      if (!this.#refused.has(id)) this.events.refused(error)
      this.#refused.add(id)
    }
    const known = this.#known.get(id)
    if (known !== undefined && known.files !== there?.files) this.#forget(id)
    if (there !== undefined) {
      this.#known.set(id, { ...there, checked: performance.now(), tag: tag ?? known?.tag })
    }
    return there?.card
  }

  #forget(id: string): void {
    this.#known.delete(id)
    this.events.gone(id)
  }
}
