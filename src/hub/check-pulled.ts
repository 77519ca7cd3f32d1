import { isDeepStrictEqual } from 'node:util'
import { readTensors } from '../models/folder/checkpoint.js'
import { folderCard } from '../models/folder/folder-card.js'
import { FolderFiles } from '../models/folder/folder-files.js'
import type { ModelCard } from '../models/model-card.js'
import { HubError } from './hub-error.js'

/**
 * Checks a pulled folder as the service will read it.
 *
 * @param expected the card that the whole repository has; undefined for a static embedding model
 * @throws HubError, InletError `model_failed` where the folder is not what the repository is
 */
export async function checkPulled(path: string, weights: string, expected?: ModelCard): Promise<void> {
  if (expected === undefined) {
    const file = await (await FolderFiles.at(path)).open(weights)
    try {
      await readTensors(file, weights)
    } finally {
      await file.close()
    }
    return
  }
  const found = await folderCard(expected.id, path)
  if (!isDeepStrictEqual(withoutFiles(found), withoutFiles(expected))) {
    throw new HubError(`${path} does not give the model that the repository has.`)
  }
}

/** A card without the names and sizes of its files: shards have become one file. */
function withoutFiles({ source, ...card }: ModelCard) {
  if (source.type !== 'folder') return card
  return { ...card, tensors: source.tensors.map(({ file: _, ...tensor }) => tensor) }
}
