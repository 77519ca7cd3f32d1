import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { isLocation, LOCATION_RULE, parseLocation } from '../objects/location.js'

/** A file or an object that was found. */
export interface FoundInput {
  readonly path: string
  readonly bytes: number
}

/** Whether an input names all that lies below it: `corpus/`, `s3://bucket/corpus/`. */
export function isFolderName(path: string): boolean {
  return path.endsWith('/')
}

/**
 * The files below a folder, at any depth, or the objects below a prefix, in no order. Left out is what has a name, or lies in a
 * folder with a name, that begins with `.` or `_`: marks of other programs, as `_SUCCESS`.
 *
 * @throws Error for a folder that cannot be read; StorageError; the signal's reason
 */
export async function inputsBelow(folder: string, signal: AbortSignal): Promise<FoundInput[]> {
  const found: FoundInput[] = []
  for await (const input of isLocation(folder) ? objectsBelow(folder) : filesBelow(folder)) {
    signal.throwIfAborted()
    const parts = input.path.slice(folder.length).split('/')
    if (!parts.some((part) => part.startsWith('.') || part.startsWith('_'))) found.push(input)
  }
  return found
}

async function* filesBelow(folder: string): AsyncGenerator<FoundInput> {
  for (const entry of await readdir(folder, { withFileTypes: true, recursive: true })) {
    const path = join(entry.parentPath ?? entry.path, entry.name)
    const { size, isFile } = await stat(path).then(
      (file) => ({ size: file.size, isFile: file.isFile() }),
      () => ({ size: 0, isFile: true }), // it fails as a shard, with its name
    )
    if (isFile) yield { path: folder + path.slice(join(folder).length), bytes: size }
  }
}

async function* objectsBelow(folder: string): AsyncGenerator<FoundInput> {
  const location = parseLocation(folder)
  if (location === undefined) throw new Error(`must be ${LOCATION_RULE}`)
  const { storeOf } = await import('../objects/open-store.js') // who names no bucket does without
  const store = await storeOf(location)
  const prefix = location.key === '' ? '' : `${location.key}/`
  for await (const { key, bytes } of store.list(prefix))
    if (!key.endsWith('/')) yield { path: `s3://${location.bucket}/${key}`, bytes }
}
