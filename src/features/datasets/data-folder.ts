import { randomBytes } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { namesIn } from '../../files/aside.js'
import { hasEnded, processName } from '../../files/process-name.js'
import { Quota } from '../../files/quota.js'
import type { Stored } from '../../service/corpus/dataset-card.js'
import { FOLDER } from '../../service/corpus/folders.js'

/** The beginning of names of folders of processes without DATA_DIR. */
const TEMPORARY = 'inlet-datasets-'

/** The variables that say where datasets are. */
export interface DataVariables {
  readonly DATA_DIR?: string | undefined
  readonly DATA_QUOTA_BYTES: number
  readonly MAX_DATASET_MEMORY_BYTES: number
}

/** The place of a process's datasets, as all its threads know it. */
export interface DataFolder {
  /** It has a folder for each dataset. */
  readonly root: string
  readonly stored: Stored
  /** The folders that are counted, and their most bytes. */
  readonly counted: string
  readonly quota: number
  /** The variable that sets it. */
  readonly variable: 'DATA_QUOTA_BYTES' | 'MAX_DATASET_MEMORY_BYTES'
}

/** The folder below DATA_DIR, or a new name in the system's folder of temporary files: the first upload makes that one. */
export function dataFolder(variables: DataVariables): DataFolder {
  const { DATA_DIR } = variables
  if (DATA_DIR !== undefined)
    return {
      root: join(DATA_DIR, FOLDER),
      stored: 'disk',
      counted: DATA_DIR,
      ...bounded('DATA_QUOTA_BYTES', variables),
    }
  const root = join(tmpdir(), `${TEMPORARY}${processName()}-${randomBytes(6).toString('hex')}`)
  return { root, stored: 'memory', counted: root, ...bounded('MAX_DATASET_MEMORY_BYTES', variables) }
}

function bounded(variable: DataFolder['variable'], variables: DataVariables) {
  return { variable, quota: variables[variable] }
}

export function quotaOf({ counted, quota, variable }: DataFolder): Quota {
  return new Quota(counted, quota, variable)
}

/** Removes temporary folders of processes of this machine that were killed. */
export async function removeTemporary(): Promise<void> {
  for (const name of (await namesIn(tmpdir())).filter((each) => each.startsWith(TEMPORARY))) {
    const owner = name.slice(TEMPORARY.length, name.lastIndexOf('-'))
    if (hasEnded(owner, Number.POSITIVE_INFINITY))
      await rm(join(tmpdir(), name), { recursive: true }).catch(() => {}) // another user's
  }
}
