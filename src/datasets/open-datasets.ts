import type { DatasetAdmin } from './admin.js'
import { Datasets } from './datasets.js'
import { datasetsFolder, learningFolder } from './disk/disk-storage.js'
import { DiskUsage } from './disk/disk-usage.js'
import { UploadFolder } from './disk/upload-folder.js'
import { MemoryUpload } from './memory/memory-upload.js'
import type { StorageVariables } from './storage-variables.js'

/** The datasets as a thread sees them. @param admin the first thread's keeper, or calls to it */
export function openDatasets(admin: DatasetAdmin, variables: StorageVariables): Datasets {
  const { DATA_DIR, DATA_QUOTA_BYTES } = variables
  if (DATA_DIR === undefined) {
    return new Datasets({ admin, stored: 'memory', place: () => new MemoryUpload(admin) })
  }
  const root = datasetsFolder(DATA_DIR)
  const usage = new DiskUsage(root, learningFolder(DATA_DIR))
  return new Datasets({
    admin,
    stored: 'disk',
    place: () => new UploadFolder(root, usage, DATA_QUOTA_BYTES),
  })
}
