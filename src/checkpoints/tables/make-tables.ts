import { drawFromSeed } from '../../first-layer/cards/draw-tables.js'
import { type ModelCard, widestRow } from '../../first-layer/cards/model-card.js'
import { parametersOf } from '../../first-layer/cards/seed-card.js'
import { allocateTables, type SharedTables } from '../../first-layer/embeddings/table-memory.js'
import { readTables } from './read-tables.js'

/** Makes the numbers of a card's tables: of its folder, or from its seed. @param progress called now and then with the share that is done, 0 … 1 */
export async function fillTables(
  card: ModelCard,
  tables: SharedTables,
  progress: (share: number) => void = () => {},
): Promise<void> {
  if (card.source.type === 'folder') await readTables(tables, card.source, progress)
  else drawFromSeed(tables, card, progress)
}

/** A card's tables. @param threads that compute with them: each has scratch space beside them @throws RangeError beyond 4 GiB */
export async function makeTables(card: ModelCard, threads = 1): Promise<SharedTables> {
  const tables = allocateTables(parametersOf(card), widestRow(card), threads)
  await fillTables(card, tables)
  return tables
}
