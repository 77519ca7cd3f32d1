import { isDeepStrictEqual } from 'node:util'
import type { ModelCard } from '../../first-layer/cards/model-card.js'
import { checkpointModel } from '../checkpoint-model.js'
import { HubError } from './hub-error.js'

/**
 * Checks a pulled folder: the service must be able to read it.
 *
 * @param id of the model
 * @param expected the card that the whole repository has; undefined for a static embedding model, which is taken whole
 * @throws HubError, InletError `model_failed` where the folder is not what the repository is
 */
export async function checkPulled(id: string, path: string, expected?: ModelCard): Promise<void> {
  const { card: found } = await checkpointModel(id, path)
  if (expected !== undefined && !isDeepStrictEqual(withoutFiles(found), withoutFiles(expected))) {
    throw new HubError(`${path} does not give the model that the repository has.`)
  }
}

/** A card without the names and sizes of its files: shards have become one file. */
function withoutFiles({ source, ...card }: ModelCard) {
  if (source.type !== 'folder') return card
  return { ...card, tensors: source.tensors.map(({ file: _, ...tensor }) => tensor) }
}
