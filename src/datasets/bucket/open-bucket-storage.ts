import type { Logger } from 'pino'
import { StorageError } from '../../objects/storage-error.js'
import type { StorageVariables } from '../storage-variables.js'
import { openBucket } from './bucket.js'
import { BucketStorage } from './bucket-storage.js'
import { removeOrphans } from './remove-orphans.js'

/**
 * Opens the bucket of DATA_DIR for the keeper. One that is away is waited for by those who ask for datasets, not by the
 * start; one that refuses the service ends it.
 *
 * @param gone called with the id of a dataset that another process has deleted
 * @throws Error where the bucket refuses, or DATA_CACHE_DIR cannot be written
 */
export async function openBucketStorage(
  variables: StorageVariables,
  logger: Logger,
  gone: (id: string) => void,
): Promise<BucketStorage> {
  const bucket = await openBucket(variables, logger)
  const storage = new BucketStorage(bucket, {
    gone,
    refused: ({ path, layout }) =>
      logger.error({ path, layout }, 'a dataset of another version of the service is not served'),
  })
  try {
    await storage.cards()
  } catch (error) {
    if (!(error instanceof StorageError) || error.isRefused) throw error
    logger.warn({ reason: error.message }, 'the bucket of DATA_DIR is away: datasets are not served yet')
    return storage
  }
  void removeOrphans(bucket, (key) => logger.warn({ key }, 'an unfinished upload has been removed')).catch(
    (error) => logger.warn({ reason: error.message }, 'unfinished uploads were not removed'),
  )
  return storage
}
