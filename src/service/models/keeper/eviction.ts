import { bytesOfAll } from '../../../first-layer/embeddings/table-memory.js'
import type { ModelEntry } from '../entry.js'
import { tooLarge } from '../errors.js'

/** A model that may have to make room. */
export interface Evictable {
  readonly entry: ModelEntry
  /** Whether nothing could make its tables again: such a model is never evicted. */
  readonly isKept: boolean
  /** A counter: the greater, the later. */
  readonly lastUsed: number
  /** Bytes of tables that are being made for it. */
  readonly coming: number
  /** Bytes that the owner of its tables holds beside them. */
  readonly ownedBytes: number
}

/** Bytes of the tables that a model holds now. */
export function heldBytes({ version }: ModelEntry): number {
  return version === undefined ? 0 : bytesOfAll(version.tables.places)
}

/**
 * The models to unload, those used least recently first, so that `bytes` more fit.
 *
 * @param others all models except the one that needs the room
 * @throws InletError `insufficient_memory` if unloading all evictable models would not suffice
 */
export function modelsToUnload<Model extends Evictable>(
  others: readonly Model[],
  bytes: number,
  maxTableBytes: number,
): Model[] {
  let total = bytes + others.reduce((sum, model) => sum + allBytes(model), 0)
  const evicted: Model[] = []
  const evictable = others
    .filter(({ entry, isKept }) => !isKept && entry.version !== undefined)
    .sort((a, b) => a.lastUsed - b.lastUsed)
  for (const model of evictable) {
    if (total <= maxTableBytes) break
    evicted.push(model)
    total -= heldBytes(model.entry)
  }
  if (total > maxTableBytes) throw tooLarge(total, maxTableBytes)
  return evicted
}

/** Whether `bytes` more may fit once the models that are being loaded now can be evicted. */
export function mayFitLater(others: readonly Evictable[], bytes: number, maxTableBytes: number): boolean {
  if (!others.some(({ coming }) => coming > 0)) return false
  return bytes + keptBytes(others) <= maxTableBytes
}

/** Bytes of the models that stay when all are evicted that may be. */
export function keptBytes(models: readonly Evictable[]): number {
  return models.filter(({ isKept }) => isKept).reduce((sum, model) => sum + allBytes(model), 0)
}

function allBytes({ entry, coming, ownedBytes }: Evictable): number {
  return heldBytes(entry) + coming + ownedBytes
}
