import { InletError } from '../errors.js'
import type { ModelCard } from '../first-layer/cards/model-card.js'
import { readCard } from '../first-layer/cards/read-card.js'
import { seedCard } from '../first-layer/cards/seed-card.js'
import { checkpointModel } from './checkpoint-model.js'
import { parsedFile } from './config-json.js'
import { folderError } from './folder-error.js'
import { FolderFiles } from './folder-files.js'
import { howToConvert } from './how-to-convert.js'
import { CARD_FILE, CONFIG_FILE, MAX_CARD_BYTES, MODEL_FILES } from './model-files.js'

/**
 * Reads the card of the model in a folder: a checkpoint, a static model, or a card in `inlet.json`.
 *
 * @throws InletError `model_failed` whose message begins with the name of the file
 */
export async function folderCard(id: string, path: string): Promise<ModelCard> {
  const folder = await FolderFiles.at(path)
  const names = await folder.names()
  const kind = MODEL_FILES.find((name) => names.includes(name))
  if (kind === undefined) throw folderError(CONFIG_FILE, `is missing. ${whyNoModel(names)}`)
  return kind === CARD_FILE ? writtenCard(id, folder) : (await checkpointModel(id, path)).card
}

/** A file of an adapter of PEFT's. */
const ADAPTER_FILE = 'adapter_config.json'

/** Why a folder of these files is no model. */
function whyNoModel(names: readonly string[]): string {
  if (names.length === 0) return 'The folder is empty'
  if (names.includes(ADAPTER_FILE))
    return `${ADAPTER_FILE} makes it an adapter, which has no tables: merge it into its base model (merge_and_unload) and save that`
  return howToConvert(names, '.') ?? `A folder of a model has one of ${MODEL_FILES.join(', ')}`
}

async function writtenCard(id: string, folder: FolderFiles): Promise<ModelCard> {
  const json = parsedFile(CARD_FILE, (await folder.text(CARD_FILE, MAX_CARD_BYTES)) ?? '')
  try {
    return seedCard(id, readCard(json))
  } catch (error) {
    throw error instanceof InletError ? folderError(CARD_FILE, error.message) : error
  }
}
