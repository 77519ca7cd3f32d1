import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Logger } from 'pino'
import { parseLocation } from '../../objects/location.js'
import type { ObjectStore } from '../../objects/object-store.js'
import { openStore } from '../../objects/open-store.js'
import type { CorpusCard } from '../dataset-card.js'
import { CARD_FILE, FOLDER } from '../disk/folders.js'
import { datasetNotFound } from '../errors.js'
import type { StorageVariables } from '../storage-variables.js'
import { BlockCache, type CachedObject } from './block-cache.js'
import { BlockFiles, blocksName } from './block-files.js'

/** Beside the folder of datasets, that of their files: an upload's name is made of its content, which its end alone tells. */
const UPLOADS = 'uploads'

/** Between two lines of the log about blocks that are not kept. */
const NOT_KEPT_MS = 60_000

/** The bucket of DATA_DIR as one thread has it open. */
export interface Bucket {
  readonly store: ObjectStore
  readonly blocks: BlockCache
  /** The beginnings of all keys. */
  readonly datasets: string
  readonly uploads: string
}

/** @throws Error where DATA_CACHE_DIR cannot be written */
export async function openBucket(
  { DATA_DIR, DATA_CACHE_DIR, DATA_CACHE_BYTES }: StorageVariables,
  logger: Logger,
): Promise<Bucket> {
  const location = parseLocation(DATA_DIR ?? '')
  if (location === undefined) throw new Error('DATA_DIR must name a bucket.') // config.ts has checked it
  const prefix = location.key === '' ? '' : `${location.key}/`
  const files = new BlockFiles(DATA_CACHE_DIR ?? join(tmpdir(), 'inlet-blocks'), DATA_CACHE_BYTES)
  await files.removeBeyond()
  return {
    store: await openStore(location),
    blocks: new BlockCache(files, nowAndThen(logger)),
    datasets: `${prefix}${FOLDER}/`,
    uploads: `${prefix}${UPLOADS}/`,
  }
}

/** A full disk refuses every block: a line a minute is enough. */
function nowAndThen(logger: Logger): (error: Error) => void {
  let next = 0
  return ({ message }) => {
    if (performance.now() < next) return
    next = performance.now() + NOT_KEPT_MS
    logger.warn({ reason: message }, 'DATA_CACHE_DIR does not keep blocks: they are fetched each time')
  }
}

export function cardKey({ datasets }: Bucket, id: string): string {
  return `${datasets}${id}/${CARD_FILE}`
}

/** A file of a dataset, read through the cache. */
export function cachedFile(
  { store }: Bucket,
  key: string,
  bytes: number,
  { id, sha256 }: CorpusCard,
): CachedObject {
  return {
    name: blocksName(store.name, key, bytes, sha256),
    bytes,
    async fetch(position, length) {
      const read = await store.read(key, position, length, bytes)
      if (read === undefined) throw datasetNotFound(id)
      return read
    },
  }
}
