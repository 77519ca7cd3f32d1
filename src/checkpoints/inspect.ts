import { InletError } from '../errors.js'
import { seedCard } from '../models/card.js'
import { cardSchema } from '../models/card-fields.js'
import type { ModelCard } from '../models/model-card.js'
import { parse } from '../wire/schemas/issue.js'
import { readConfig } from './config-json.js'
import { checkpointCard } from './folder-card.js'
import { folderError } from './folder-error.js'
import { FolderFiles } from './folder-files.js'
import { CONFIG_FILE, MODULES_FILE } from './model-files.js'
import { staticCard } from './static-card.js'
import { staticLayout } from './static-layout.js'

/** A card that stands alone in a model's folder. */
const CARD_FILE = 'inlet.json'
/** Most bytes of a card. */
const MAX_CARD_BYTES = 1 << 16

/** The files that make a folder a model: the first that is there says which kind. */
export const MODEL_FILES = [CONFIG_FILE, MODULES_FILE, CARD_FILE] as const

/**
 * The card of the model in a folder: of a checkpoint, of a static model, or one that is written there.
 *
 * @throws InletError `model_failed` whose message begins with the name of the file
 */
export async function inspectFolder(id: string, path: string): Promise<ModelCard> {
  const folder = await FolderFiles.at(path)
  const names = await folder.names()
  const kind = MODEL_FILES.find((name) => names.includes(name))
  if (kind === undefined) throw folderError(MODEL_FILES.join(', '), 'one of them is needed')
  if (kind === CARD_FILE) return writtenCard(id, folder)
  const config = await readConfig(folder)
  const layout = await staticLayout(folder, config)
  if (layout !== undefined) return staticCard(id, folder, layout)
  const { card } = await checkpointCard(id, path, folder, config)
  return card
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
