import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { TOKENIZER_FILE } from '../../../checkpoints/checkpoint-files.js'
import { placeOf } from './folders.js'
import type { ModelFolder } from './model-folders.js'

/** Bytes of tokenizer.json from which reading it takes half a second and more. */
export const HEAVY_BYTES = 1 << 22

/** Folders in the order in which they are to be read. */
export interface FoldersByWeight {
  /** In the order of their names. */
  readonly light: readonly ModelFolder[]
  /** The smallest first. */
  readonly heavy: readonly ModelFolder[]
}

/** Separates the folders whose tokenizer.json is so large that others should not wait for it. */
export async function foldersByWeight(folders: readonly ModelFolder[]): Promise<FoldersByWeight> {
  const light: ModelFolder[] = []
  const heavy: { readonly folder: ModelFolder; readonly bytes: number }[] = []
  for (const folder of folders) {
    const bytes = await tokenizerBytes(folder).catch(() => 0) // reading it gives the reason
    if (bytes < HEAVY_BYTES) light.push(folder)
    else heavy.push({ folder, bytes })
  }
  heavy.sort((a, b) => a.bytes - b.bytes)
  return { light, heavy: heavy.map(({ folder }) => folder) }
}

/** Bytes of a folder's largest tokenizer.json: that of a module of sentence-transformers lies one folder deeper. */
async function tokenizerBytes({ path }: ModelFolder): Promise<number> {
  const place = await placeOf(path)
  const inside = (await readdir(place, { withFileTypes: true })).filter((each) => each.isDirectory())
  const files = [place, ...inside.map(({ name }) => join(place, name))].map((each) =>
    join(each, TOKENIZER_FILE),
  )
  const sizes = await Promise.all(
    files.map((file) =>
      stat(file).then(
        ({ size }) => size,
        () => 0,
      ),
    ),
  )
  return Math.max(...sizes)
}
