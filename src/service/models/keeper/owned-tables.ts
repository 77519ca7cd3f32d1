import {
  bytesOfAll,
  type SharedTables,
  type TableShape,
} from '../../../first-layer/embeddings/table-memory.js'
import { heldBytes, type ModelVersion, ownedEntry, withoutTables } from '../../../models/entry.js'
import type { InletError } from '../../answer/error-table.js'
import type { Loads } from './loads.js'
import type { RegisteredModel, RegisteredModels } from './registered-models.js'

/** Longest wait for readers of the version before the present one, in milliseconds. */
const DRAIN_MS = 1000

/** Exclusive writer of a model's tables (training). It may keep them elsewhere than in memory. */
export interface TableOwner {
  has(id: string): boolean
  /** Gives a model without tables those that it has elsewhere, in the model's turn. @returns whether it has any */
  reopen(model: RegisteredModel): Promise<boolean>
  forget(id: string): Promise<void>
  refusal(id: string): InletError
}

export const NO_OWNER: TableOwner = {
  has: () => false,
  reopen: async () => false,
  forget: async () => {},
  refusal(id) {
    throw new Error(`The tables of ${id} have no owner.`)
  },
}

/**
 * The owner's operations on its tables. Readers have one of two memories, the owner brings the other up to
 * date. Call every method except `inTurn` in the model's turn.
 */
export class OwnedTables {
  constructor(
    private readonly models: RegisteredModels,
    private readonly loads: Loads,
  ) {}

  /** Runs `change` when all earlier changes of the model are done. @throws InletError `model_not_found` */
  inTurn<Result>(id: string, change: (model: RegisteredModel) => Promise<Result>): Promise<Result> {
    return this.models.inTurn(id, change)
  }

  /** The present tables, made where there are none. @throws InletError what loading throws */
  async present(model: RegisteredModel): Promise<ModelVersion> {
    await this.loads.load(model)
    return model.entry.version as ModelVersion
  }

  /**
   * Makes room for what the owner holds of the model from then on, beside a second copy of its tables.
   * @throws InletError `insufficient_memory`
   */
  makeRoom(model: RegisteredModel, bytes: number): void {
    const before = model.owned
    model.owned = bytes
    try {
      this.#checkRoom(model, 0)
    } catch (error) {
      model.owned = before
      throw error
    }
  }

  /** Notes that the owner holds more. Where another model has taken the room since, the next change is refused. */
  grow(model: RegisteredModel, bytes: number): void {
    model.owned = bytes
    if (this.roomLeft(model) >= 0) this.#checkRoom(model, 0)
  }

  #checkRoom(model: RegisteredModel, bytes: number): void {
    this.loads.makeRoom(heldBytes(model.entry) + model.ownedBytes + bytes, model.id)
  }

  /** Bytes that the model could take more, were all other models gone that can be made again. */
  roomLeft(model: RegisteredModel): number {
    return this.loads.roomLeft(model)
  }

  /** Unread memory of the model's layout: the spare one, when its readers have ended, or a new one. */
  async takeCopy(model: RegisteredModel): Promise<SharedTables> {
    const { memories, entry } = model
    if (entry.version === undefined) throw new Error(`${model.id} has no tables.`)
    const { places } = entry.version.tables
    if (model.draining > 0) {
      await memories.spareWithin(DRAIN_MS)
      if (!memories.hasSpare && bytesOfAll(places) > this.roomLeft(model)) await memories.spareWithin()
    }
    if (!memories.hasSpare) this.#checkRoom(model, model.draining > 0 ? bytesOfAll(places) : 0)
    return memories.take(places)
  }

  /**
   * Makes room for a model that gets its tables from its owner, and takes memory for them.
   * @param bytes that the owner holds of it
   * @throws InletError `insufficient_memory`; nothing is held then
   */
  takeFirst(model: RegisteredModel, bytes: number, layout: readonly TableShape[]): SharedTables {
    this.loads.makeRoom(bytes + 2 * bytesOfAll(layout), model.id)
    const tables = model.memories.take(layout)
    model.owned = bytes
    return tables
  }

  async tellLoading(model: RegisteredModel): Promise<void> {
    await this.models.tell(model, { ...withoutTables(model.entry), state: 'loading' })
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
      model.memories.clear()
    }
    const { isOwned: _, ...entry } = model.entry
    await this.models.tell(model, isOwned ? { ...entry, isOwned } : entry)
  }

  /** The tables have no owner any more, and are freed; they are made again when they are asked for. */
  async unload(model: RegisteredModel): Promise<void> {
    model.owned = undefined
    await this.loads.unload(model)
  }
}
