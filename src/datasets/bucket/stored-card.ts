import { type DatasetCard, isMixture } from '../dataset-card.js'
import { parseCard } from '../disk/folders.js'
import { type Bucket, cardKey } from './bucket.js'

/** A card as a bucket has it. */
export interface StoredCard {
  readonly card: DatasetCard
  /** What the keys of the files begin with. */
  readonly files: string
}

/**
 * The card of a dataset; undefined where there is none.
 *
 * @throws OtherLayout
 */
export async function readStoredCard(bucket: Bucket, id: string): Promise<StoredCard | undefined> {
  const bytes = await bucket.store.get(cardKey(bucket, id))
  if (bytes === undefined) return undefined
  const { files, ...card } = parseCard(bytes.toString(), cardKey(bucket, id)) as DatasetCard & {
    readonly files?: unknown
  }
  const own = typeof files === 'string' ? `${bucket.uploads}${files}/` : `${bucket.datasets}${id}/`
  return { card: card as DatasetCard, files: own }
}

/** The text of a card. @param files the upload that has the files; absent: they stand beside the card, as on a disk */
export function cardText(card: DatasetCard, files?: string): Buffer {
  return Buffer.from(JSON.stringify(isMixture(card) ? card : { ...card, files }))
}
