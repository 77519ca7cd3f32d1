import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { HubError } from './errors.js'
import type { Origin } from './pull-folder.js'
import type { Weights } from './weights.js'

/** The file of a pulled folder with its origin. */
export const SOURCE_FILE = 'inlet-source.json'

/** A file of the folder that is the repository's own, unchanged. */
export interface PulledFile {
  readonly name: string
  readonly bytes: number
  readonly etag?: string
}

export interface Source extends Origin {
  /** As given by the user: `main`. */
  readonly revision: string
  readonly endpoint: string
}

/** The text of `inlet-source.json`: repository, commit, files and tensors with their ETags, bytes in total. */
export function sourceText(source: Source, files: readonly PulledFile[], weights: Weights): string {
  const { repository, revision, commit, endpoint } = source
  const tensors = weights.pieces.map(({ tensor, file, bytes, etag }) => ({ ...tensor, bytes, file, etag }))
  const fileBytes = files.reduce((sum, file) => sum + file.bytes, 0)
  const content = {
    ...{ repository, revision, commit, endpoint, files, tensors },
    total: {
      file_bytes: fileBytes,
      weight_bytes: weights.bytes,
      weight_bytes_of_the_whole: weights.totalBytes ?? null,
    },
  }
  return `${JSON.stringify(content, null, 2)}\n`
}

/**
 * The origin of a pulled folder; undefined if the folder is missing or empty.
 *
 * @throws HubError for a folder that was not pulled: it is never replaced
 */
export async function originOf(target: string): Promise<Origin | undefined> {
  const names = await readdir(target).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw new HubError(`${target} must be a folder (${error.code}).`)
  })
  if (names.length === 0) return undefined
  try {
    const { repository, commit } = JSON.parse(await readFile(join(target, SOURCE_FILE), 'utf8'))
    if (typeof repository === 'string' && typeof commit === 'string') return { repository, commit }
  } catch {
    // not a folder that was pulled
  }
  throw new HubError(`${target} is there, and was not pulled: it has no ${SOURCE_FILE}. Name another folder.`)
}
