import { checkpointModel } from '../../checkpoints/checkpoint-model.js'
import { folderError } from '../../checkpoints/folder-error.js'
import { FolderFiles } from '../../checkpoints/folder-files.js'
import { CONFIG_FILE, MODULES_FILE } from '../../checkpoints/model-files.js'
import { InletError } from '../../errors.js'
import type { ModelCard } from '../../first-layer/cards/model-card.js'
import { seedCard } from '../../first-layer/cards/seed-card.js'
import { parse } from '../../wire/schemas/issue.js'
import { cardSchema } from '../cards/card-fields.js'

/** A card that stands alone in a model's folder. */
const CARD_FILE = 'inlet.json'
/** Most bytes of a card. */
const MAX_CARD_BYTES = 1 << 16

/** The files that make a folder a model: the first one present decides the kind. */
export const MODEL_FILES = [CONFIG_FILE, MODULES_FILE, CARD_FILE] as const

/**
 * Reads the card of the model in a folder: a checkpoint, a static model, or a card in `inlet.json`.
 *
 * @throws InletError `model_failed` whose message begins with the name of the file
 */
export async function inspectFolder(id: string, path: string): Promise<ModelCard> {
  const folder = await FolderFiles.at(path)
  const names = await folder.names()
  const kind = MODEL_FILES.find((name) => names.includes(name))
  if (kind === undefined) throw folderError(MODEL_FILES.join(', '), 'one of them is needed')
  return kind === CARD_FILE ? writtenCard(id, folder) : (await checkpointModel(id, path)).card
}

async function writtenCard(id: string, folder: FolderFiles): Promise<ModelCard> {
  const text = (await folder.text(CARD_FILE, MAX_CARD_BYTES)) ?? ''
  try {
    return seedCard(id, parse(cardSchema, JSON.parse(text)))
  } catch (error) {
    if (error instanceof SyntaxError) throw folderError(CARD_FILE, `must be JSON: ${error.message}`)
    if (error instanceof InletError) throw folderError(CARD_FILE, error.message)
    throw error
  }
}
