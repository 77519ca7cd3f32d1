import type { ModelCard } from '../first-layer/cards/model-card.js'
import type { SharedTables } from '../first-layer/embeddings/table-memory.js'
import type { Steps } from '../first-layer/steps.js'
import { checkpointCard } from './checkpoint-card.js'
import { readConfig } from './config-json.js'
import { FolderFiles } from './folder-files.js'
import { staticCard } from './static/card.js'
import { staticLayout } from './static/layout.js'
import { readTables } from './tables/read-tables.js'

/** A model in a folder of Hugging Face's layout. */
export interface CheckpointModel {
  readonly card: ModelCard
  /** Reads the card's tables into memory. @param onShare called now and then with the share that is done, 0 … 1 */
  fill(tables: SharedTables, onShare?: (share: number) => void): Steps<void>
}

/**
 * Opens a model's folder, a checkpoint or a static model: reads config.json and the headers of its safetensors, no table.
 * `parametersOf(card)` names the tables that `fill` reads.
 *
 * @param id of the model
 * @throws InletError `model_failed` whose message begins with the name of the file
 */
export async function checkpointModel(id: string, path: string): Promise<CheckpointModel> {
  const card = await cardIn(id, await FolderFiles.at(path))
  const { source } = card
  if (source.type !== 'folder') throw new Error(`${id} has no folder`)
  return { card, fill: (tables, onShare) => readTables(tables, source, onShare) }
}

async function cardIn(id: string, folder: FolderFiles): Promise<ModelCard> {
  const config = await readConfig(folder)
  const layout = await staticLayout(folder, config)
  if (layout !== undefined) return staticCard(id, folder, layout)
  const { card } = await checkpointCard(id, folder.path, folder, config)
  return card
}
