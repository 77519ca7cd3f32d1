import { bytesOfAll } from '../../first-layer/embeddings/table-memory.js'
import type { ModelEntry } from '../entry.js'
import { tooLarge } from '../errors.js'

/** What `modelsToUnload` has to know of a loaded model. */
export interface Loaded {
  readonly entry: ModelEntry
  /** Whether tables were uploaded: the service could not make those again from the card's source. */
  readonly exchanged: boolean
  /** A counter: the greater, the later. */
  readonly lastUsed: number
  /** Bytes of tables that are being made for it. */
  readonly coming: number
}

/** Bytes of the tables that a model holds now. */
export function heldBytes({ version }: ModelEntry): number {
  return version === undefined ? 0 : bytesOfAll(version.tables.places)
}

/**
 * The models to unload, those used least recently first, so that `bytes` more fit.
 *
 * @param loaded all models except the one that needs the room
 * @throws InletError `insufficient_memory` where unloading all models that may be unloaded would not suffice
 */
export function modelsToUnload<Model extends Loaded>(
  loaded: readonly Model[],
  bytes: number,
  maxTableBytes: number,
): Model[] {
  let total = bytes + loaded.reduce((sum, { entry, coming }) => sum + heldBytes(entry) + coming, 0)
  const goes: Model[] = []
  const mayGo = loaded
    .filter(({ entry, exchanged }) => !exchanged && entry.version !== undefined)
    .sort((a, b) => a.lastUsed - b.lastUsed)
  for (const model of mayGo) {
    if (total <= maxTableBytes) break
    goes.push(model)
    total -= heldBytes(model.entry)
  }
  if (total > maxTableBytes) throw tooLarge(total, maxTableBytes)
  return goes
}

/** Whether there could be room for `bytes` more once the tables are made that are being made now: those may then go. */
export function mayFitLater(loaded: readonly Loaded[], bytes: number, maxTableBytes: number): boolean {
  if (!loaded.some(({ coming }) => coming > 0)) return false
  const stay = loaded.filter(({ exchanged }) => exchanged)
  return bytes + stay.reduce((sum, { entry }) => sum + heldBytes(entry), 0) <= maxTableBytes
}
