import {
  bytesOfAll,
  type SharedTables,
  type TableShape,
} from '../../../first-layer/embeddings/table-memory.js'
import { heldBytes, ownedEntry } from '../../../models/entry.js'
import type { Loads } from './loads.js'
import type { RegisteredModel, RegisteredModels } from './registered-models.js'

/** Longest wait for readers of the version before the present one, in milliseconds. */
const DRAIN_MS = 1000

/**
 * The owner's operations on its tables. Readers have one of two memories, the owner brings the other up to
 * date. Call every method in the model's turn.
 */
export class OwnedTables {
  constructor(
    readonly models: RegisteredModels,
    readonly loads: Loads,
  ) {}

  /**
   * Makes room for what the owner holds of the model from then on, beside a second copy of its tables.
   * @throws InletError `insufficient_memory`: the caller sets `owned` back
   */
  makeRoom(model: RegisteredModel, bytes: number): void {
    model.owned = bytes
    this.#checkRoom(model, 0)
  }

  /** Notes that the owner holds more. Where another model has taken the room since, the next change is refused. */
  grow(model: RegisteredModel, bytes: number): void {
    model.owned = bytes
    if (this.loads.roomLeft(model) >= 0) this.#checkRoom(model, 0)
  }

  #checkRoom(model: RegisteredModel, bytes: number): void {
    this.loads.makeRoom(heldBytes(model.entry) + model.ownedBytes + bytes, model.id)
  }

  /** Unread memory of the model's layout: the spare one, when its readers have ended, or a new one. */
  async takeCopy(model: RegisteredModel): Promise<SharedTables> {
    const { places } = model.entry.version!.tables
    if (model.draining > 0) {
      await model.spareWithin(DRAIN_MS)
      if (model.spare === undefined && bytesOfAll(places) > this.loads.roomLeft(model))
        await model.spareWithin()
    }
    if (model.spare === undefined) this.#checkRoom(model, model.draining > 0 ? bytesOfAll(places) : 0)
    return model.take(places)
  }

  /**
   * Makes room for a model that gets its tables from its owner, and takes memory for them.
   * @param bytes that the owner holds of it
   * @throws InletError `insufficient_memory`; nothing is held then
   */
  takeFirst(model: RegisteredModel, bytes: number, layout: readonly TableShape[]): SharedTables {
    this.loads.makeRoom(bytes + 2 * bytesOfAll(layout), model.id)
    const tables = model.take(layout)
    model.owned = bytes
    return tables
  }

  /** Every request that begins from now on reads these tables. @param version their number */
  async publish(
    model: RegisteredModel,
    tables: SharedTables,
    version: number,
    madeBy: string,
  ): Promise<void> {
    model.exchanged = true
    await this.models.tell(model, ownedEntry({ ...model.entry, lastVersion: version - 1 }, tables, madeBy))
  }

  async tellOwned(model: RegisteredModel, isOwned: boolean): Promise<void> {
    if (!isOwned) {
      model.owned = undefined
      model.spare = undefined
    }
    const { isOwned: _, ...entry } = model.entry
    await this.models.tell(model, isOwned ? { ...entry, isOwned } : entry)
  }
}
