import { join } from 'node:path'
import { FOLDER, readCard } from '../service/corpus/folders.js'
import { isLocation } from './objects/location.js'
import { allRecords } from './record.js'
import type { ShardsPlace } from './shards-place.js'

/** @param out a run's folder, or its bucket */
export async function openShards(out: string): Promise<ShardsPlace> {
  if (!isLocation(out))
    return { records: () => allRecords(out), card: (id) => readCard(join(out, FOLDER), id) }
  const { bucketShards } = await import('./bucket-place.js') // who names no bucket does without
  return bucketShards(out)
}
