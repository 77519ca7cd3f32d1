import { InletError } from '../errors.js'
import type { ModelCard } from '../first-layer/cards/model-card.js'
import { readCard } from '../first-layer/cards/read-card.js'
import { seedCard } from '../first-layer/cards/seed-card.js'
import { checkpointModel } from './checkpoint-model.js'
import { folderError } from './folder-error.js'
import { FolderFiles } from './folder-files.js'
import { CARD_FILE, MAX_CARD_BYTES, MODEL_FILES } from './model-files.js'

/**
 * Reads the card of the model in a folder: a checkpoint, a static model, or a card in `inlet.json`.
 *
 * @throws InletError `model_failed` whose message begins with the name of the file
 */
export async function folderCard(id: string, path: string): Promise<ModelCard> {
  const folder = await FolderFiles.at(path)
  const names = await folder.names()
  const kind = MODEL_FILES.find((name) => names.includes(name))
  if (kind === undefined) throw folderError(MODEL_FILES.join(', '), 'one of them is needed')
  return kind === CARD_FILE ? writtenCard(id, folder) : (await checkpointModel(id, path)).card
}

async function writtenCard(id: string, folder: FolderFiles): Promise<ModelCard> {
  const text = (await folder.text(CARD_FILE, MAX_CARD_BYTES)) ?? ''
  try {
    return seedCard(id, readCard(JSON.parse(text)))
  } catch (error) {
    if (error instanceof SyntaxError) throw folderError(CARD_FILE, `must be JSON: ${error.message}`)
    if (error instanceof InletError) throw folderError(CARD_FILE, error.message)
    throw error
  }
}
