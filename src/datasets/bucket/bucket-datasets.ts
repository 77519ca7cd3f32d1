import type { Logger } from 'pino'
import type { DatasetAdmin } from '../admin.js'
import type { ObjectTokens } from '../content.js'
import { Datasets } from '../datasets.js'
import { BucketTokens } from '../reading/bucket-tokens.js'
import type { StorageVariables } from '../storage-variables.js'
import { openBucket } from './bucket.js'
import { BUCKET_UPLOAD_BYTES, BucketUpload } from './bucket-upload.js'

/** The datasets of a bucket as a thread sees them. */
export async function bucketDatasets(
  admin: DatasetAdmin,
  variables: StorageVariables,
  logger: Logger,
): Promise<Datasets> {
  const bucket = await openBucket(variables, logger)
  return new Datasets({
    ...{ admin, stored: 'bucket', uploadBytes: BUCKET_UPLOAD_BYTES },
    place: () => new BucketUpload(bucket, variables.DATA_QUOTA_BYTES),
    openTokens: (tokens, card) => new BucketTokens(bucket, tokens as ObjectTokens, card),
  })
}
