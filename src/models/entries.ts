import { InletError } from '../errors.js'
import type { SharedTables } from '../first-layer/embeddings/table-memory.js'
import type { ModelEntry, Origin } from './entry.js'
import type { ModelCard } from './model-card.js'

// What becomes of a model's entry. An entry is never changed in place: threads hold the one before.

/** The entry of a model that no request has asked for yet. */
export function unloaded(card: ModelCard, origin: Origin): ModelEntry {
  return { card, origin, state: 'unloaded', lastVersion: 0 }
}

/** The entry with a new version of its tables. @param sha256 of the file that brought them, in hex */
export function loaded(
  { card, origin, lastVersion }: Pick<ModelEntry, 'card' | 'origin' | 'lastVersion'>,
  tables: SharedTables,
  sha256?: string,
): ModelEntry {
  const number = lastVersion + 1
  const version = { number, tables, created: Math.floor(Date.now() / 1000), ...(sha256 && { sha256 }) }
  return { card, origin, state: 'ready', lastVersion: number, version }
}

/** The entry without tables; its state is to be added. */
export function withoutTables({ card, origin, lastVersion }: ModelEntry): Omit<ModelEntry, 'state'> {
  return { card, origin, lastVersion }
}

/** The entry of a model whose tables could not be made: where there was no room, there may be later. */
export function notLoaded(entry: ModelEntry, error: unknown): ModelEntry {
  const known = error instanceof InletError ? error : undefined
  if (known?.code === 'insufficient_memory') return { ...withoutTables(entry), state: 'unloaded' }
  const { message } = error as Error
  return { ...withoutTables(entry), state: 'failed', error: { code: known?.code ?? 'model_failed', message } }
}
