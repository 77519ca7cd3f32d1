import type { ObjectEntry } from '../../objects/object-store.js'
import { CARD_FILE } from '../disk/folders.js'
import type { Bucket } from './bucket.js'
import { readStoredCard } from './stored-card.js'

/** An upload that ends writes its card within minutes of its files. */
const ORPHANED_MS = 24 * 3600 * 1000

/**
 * Removes files that belong to no dataset, a day after they were written: those of uploads that ended before their card was
 * there, and what a deletion has left.
 *
 * @param removed told of each key
 */
export async function removeOrphans(bucket: Bucket, removed: (key: string) => void): Promise<void> {
  const { store, datasets, uploads } = bucket
  const isOld = ({ changed }: ObjectEntry) => Date.now() - changed > ORPHANED_MS
  const orphans: ObjectEntry[] = []
  for await (const entry of store.list(uploads)) if (isOld(entry)) orphans.push(entry)
  const cards = new Set<string>()
  const others: ObjectEntry[] = []
  for await (const entry of store.list(datasets)) {
    const [id = '', file] = entry.key.slice(datasets.length).split('/')
    if (file === CARD_FILE) cards.add(id)
    else if (isOld(entry)) others.push(entry)
  }
  const used = new Set<string>()
  if (orphans.length > 0)
    // a card that another version wrote ends it: what it names is not known
    for (const id of cards) used.add((await readStoredCard(bucket, id))?.files ?? '')
  orphans.push(...others.filter(({ key }) => !cards.has(key.slice(datasets.length).split('/')[0]!)))
  for (const { key } of orphans) {
    if (used.has(key.slice(0, key.lastIndexOf('/') + 1))) continue
    await store.remove(key)
    removed(key)
  }
}
