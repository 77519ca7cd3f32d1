import { InletError } from '../first-layer/errors.js'
import { bytesBelow } from './aside.js'

/** A disk without room, a user without any, a process that may write no larger file. */
const FULL: readonly unknown[] = ['ENOSPC', 'EDQUOT', 'EFBIG']
const CLOSED: readonly unknown[] = ['EROFS', 'EACCES', 'EPERM', 'ENOENT', 'ENOTDIR']

/** The data that each variable limits. */
const HELD = {
  DATA_QUOTA_BYTES: 'datasets and checkpoints',
  MAX_DATASET_MEMORY_BYTES: 'all datasets, without DATA_DIR',
}

export type QuotaVariable = keyof typeof HELD

/** Checks that all files below a folder have room for more. @throws InletError `insufficient_storage` */
export async function checkQuota(folder: string, most: number, needed: number): Promise<void> {
  const used = await bytesBelow(folder)
  if (used + needed > most) throw insufficientStorage(used, most, needed, 'DATA_QUOTA_BYTES')
}

/** 507 with what is used, what may be used, and what is needed in all. */
export function insufficientStorage(
  used: number,
  quota: number,
  needed: number,
  variable: QuotaVariable,
): InletError {
  const rule = `${variable} must hold ${HELD[variable]}`
  return new InletError(
    'insufficient_storage',
    `${rule}: ${used} bytes of ${quota} are used, and ${needed} are needed.`,
  )
}

/** 507 for a disk that takes no more bytes, or a folder that cannot be written to; other errors as they are. */
export function storageRefusal(error: unknown, needed: number): unknown {
  const { code } = error as NodeJS.ErrnoException
  if (FULL.includes(code))
    return new InletError(
      'insufficient_storage',
      `DATA_DIR has no room on its disk: ${needed} bytes are needed.`,
    )
  if (!CLOSED.includes(code)) return error
  const message = `DATA_DIR must be a folder that the service can write to (${code}). Default: one among the system’s temporary files`
  return new InletError('insufficient_storage', message)
}
