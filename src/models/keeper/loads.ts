import { parametersOf } from '../../first-layer/cards/parameters.js'
import { bytesOfAll, type SharedTables } from '../../first-layer/embeddings/table-memory.js'
import type { ModelEntry } from '../entry.js'
import { loaded, notLoaded, withoutTables } from '../entry.js'
import { modelFailed, uploadsGone } from '../errors.js'
import type { Maker } from './maker.js'
import type { RegisteredModel, Registry } from './registry.js'

export interface LoadOptions {
  /** Bytes of all tables together. */
  readonly maxTableBytes: number
  /** Bytes of memory that is set aside for tables that no model has yet. */
  reserved(): number
  /** Called now and then with the share of a model's tables that is made, 0 … 1. */
  progress(id: string, share: number): void
}

/** Loads models and unloads them. */
export class Loads {
  /** Loads that wait for another one to end. */
  readonly #waiting: (() => void)[] = []

  constructor(
    private readonly models: Registry,
    private readonly maker: Maker,
    private readonly options: LoadOptions,
  ) {}

  /** Loads a model in its turn. @throws InletError `model_not_found`, and as `load` */
  async loadInTurn(id: string): Promise<ModelEntry> {
    const kept = this.models.get(id)
    return kept.loadInTurn(() => this.load(this.models.still(kept)))
  }

  /**
   * Makes the tables of a model that has none. To be called in the model's turn.
   *
   * @throws InletError `model_failed`, `insufficient_memory`
   */
  async load(kept: RegisteredModel): Promise<ModelEntry> {
    const { card, version, isUnreadable, error: unreadable } = kept.entry
    if (version !== undefined) return kept.entry
    if (isUnreadable) throw modelFailed(kept.id, unreadable?.message)
    if (card.source.type === 'upload') throw uploadsGone(kept.id)
    try {
      return await this.#load(kept)
    } finally {
      // Those that asked for this model lease it first: it may go when the next one wants its room.
      setImmediate(() => {
        for (const goOn of this.#waiting.splice(0)) goOn()
      })
    }
  }

  async #load(kept: RegisteredModel): Promise<ModelEntry> {
    let tables: SharedTables
    try {
      tables = await this.#make(kept)
    } catch (error) {
      await this.models.tell(kept, notLoaded(kept.entry, error))
      throw error
    } finally {
      kept.coming = 0
    }
    await this.models.tell(kept, loaded(kept.entry, tables))
    return kept.entry
  }

  /** Lets the tables of a model go; uploaded ones are lost. To be called in the model's turn. */
  async unload(kept: RegisteredModel): Promise<void> {
    if (kept.entry.isUnreadable) return
    kept.exchanged = false
    await this.models.tell(kept, { ...withoutTables(kept.entry), state: 'unloaded' })
    kept.memories.clear()
  }

  /** Unloads the models used least recently until there is room. @throws InletError `insufficient_memory` */
  makeRoom(bytes: number, forModel: string): void {
    const { maxTableBytes, reserved } = this.options
    for (const { id } of this.models.inTheWay(bytes + reserved(), forModel, maxTableBytes)) {
      const unloading = this.models.inTurn(id, async (kept) => {
        if (!kept.exchanged) await this.unload(kept) // an exchange may have come before
      })
      unloading.catch(() => {}) // the model may have been removed by then
    }
  }

  /** Takes room for a model's tables; waits while models are being made that could be unloaded afterwards. */
  async #takeRoom(kept: RegisteredModel, bytes: number): Promise<void> {
    const { maxTableBytes, reserved } = this.options
    for (;;) {
      try {
        this.makeRoom(bytes, kept.id)
        kept.coming = bytes
        return
      } catch (error) {
        if (!this.models.mayFitLater(bytes + reserved(), kept.id, maxTableBytes)) throw error
        await new Promise<void>((resolve) => this.#waiting.push(resolve))
      }
    }
  }

  async #make(kept: RegisteredModel): Promise<SharedTables> {
    const { card } = kept.entry
    const layout = parametersOf(card)
    await this.#takeRoom(kept, bytesOfAll(layout))
    this.models.noteUse([kept.id])
    await this.models.tell(kept, { ...withoutTables(kept.entry), state: 'loading' })
    const tables = kept.memories.take(layout)
    await this.maker.fill(card, tables, (share) => this.options.progress(kept.id, share))
    return tables
  }
}
