import type { Logger } from 'pino'
import { isLocation } from '../objects/location.js'
import type { DatasetAdmin } from './admin.js'
import type { FileTokens } from './content.js'
import { Datasets } from './datasets.js'
import { datasetsFolder, learningFolder } from './disk/disk-storage.js'
import { DiskUsage } from './disk/disk-usage.js'
import { UploadFolder } from './disk/upload-folder.js'
import { MemoryUpload } from './memory/memory-upload.js'
import type { SharedBlocks } from './memory/shared-blocks.js'
import { DiskTokens } from './reading/disk-tokens.js'
import { MemoryTokens } from './reading/memory-tokens.js'
import type { StorageVariables } from './storage-variables.js'

/** The datasets as a thread sees them. @param admin the first thread's keeper, or calls to it */
export async function openDatasets(
  admin: DatasetAdmin,
  variables: StorageVariables,
  logger: Logger,
): Promise<Datasets> {
  const { DATA_DIR, DATA_QUOTA_BYTES } = variables
  if (DATA_DIR === undefined) {
    return new Datasets({
      ...{ admin, stored: 'memory', uploadBytes: 0 },
      place: () => new MemoryUpload(admin),
      openTokens: (tokens, card) => new MemoryTokens(tokens as SharedBlocks, card),
    })
  }
  if (isLocation(DATA_DIR)) {
    const { bucketDatasets } = await import('./bucket/bucket-datasets.js') // who names no bucket does without
    return bucketDatasets(admin, variables, logger)
  }
  const root = datasetsFolder(DATA_DIR)
  const usage = new DiskUsage(root, learningFolder(DATA_DIR))
  return new Datasets({
    ...{ admin, stored: 'disk', uploadBytes: 0 },
    place: () => new UploadFolder(root, usage, DATA_QUOTA_BYTES),
    openTokens: (tokens, card) => new DiskTokens((tokens as FileTokens).path, card),
  })
}
