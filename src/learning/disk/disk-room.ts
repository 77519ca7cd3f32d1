import { join } from 'node:path'
import { InletError } from '../../errors.js'
import type { FileSystem } from './file-system.js'

/** Of a small quota no more than this share is granted at once. */
const GRANT_OF_QUOTA = 1 / 64
const GRANT_BYTES = 1 << 24

/**
 * The bytes that logs and checkpoints may take of DATA_QUOTA_BYTES, which datasets have their bytes in as well. All that is
 * below DATA_DIR is counted, then so many bytes are granted that the next calls need no count; processes that share the
 * folder may pass the quota by a grant each.
 */
export class DiskRoom {
  #granted = 0

  constructor(
    private readonly fs: FileSystem,
    private readonly dataDir: string,
    private readonly quota: number,
  ) {}

  /** @throws InletError `insufficient_storage` */
  take(bytes: number): void {
    if (bytes > this.#granted) {
      const used = bytesBelow(this.fs, this.dataDir)
      if (used + bytes > this.quota) throw noRoom(used, this.quota, bytes)
      const ahead = Math.min(GRANT_BYTES, Math.floor(this.quota * GRANT_OF_QUOTA), this.quota - used - bytes)
      this.#granted = bytes + ahead
    }
    this.#granted -= bytes
  }
}

/** 507 that names the limit, what is used, and what is needed. */
function noRoom(used: number, quota: number, needed: number): InletError {
  const message = `DATA_QUOTA_BYTES must hold datasets and learning: ${used} bytes of ${quota} are used, and ${needed} more are needed.`
  return new InletError('insufficient_storage', message)
}

function bytesBelow(fs: FileSystem, folder: string): number {
  let sum = 0
  for (const entry of fs.readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    try {
      if (entry.isDirectory()) sum += bytesBelow(fs, path)
      else if (entry.isFile()) sum += fs.lstatSync(path).size
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error // it has been removed meanwhile
    }
  }
  return sum
}
