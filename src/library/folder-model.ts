import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { checkpointModel } from '../checkpoints/checkpoint-model.js'
import { readTables } from '../checkpoints/tables/read-tables.js'
import type { FolderSource, ModelCard } from '../first-layer/cards/model-card.js'
import { readCard } from '../first-layer/cards/read-card.js'
import { seedCard } from '../first-layer/cards/seed-card.js'
import type { SharedTables } from '../first-layer/embeddings/table-memory.js'
import { InletError } from '../first-layer/errors.js'

/** A card that stands alone in a model's folder. */
const CARD_FILE = 'inlet.json'

/** The card of the model in a folder. @throws InletError `model_failed` */
export async function cardOfFolder(id: string, path: string): Promise<ModelCard> {
  const text = await readFile(join(path, CARD_FILE), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  if (text === undefined) return (await checkpointModel(id, path)).card
  try {
    return seedCard(id, readCard(JSON.parse(text)))
  } catch (error) {
    throw new InletError('model_failed', `${CARD_FILE} ${(error as Error).message}`)
  }
}

/** Fills a model's tables from the files of its folder. @throws InletError `model_failed` */
export async function fillFromFolder(tables: SharedTables, source: FolderSource): Promise<void> {
  for await (const _share of readTables(tables, source)) {
    // The reader fills the tables itself.
  }
}
