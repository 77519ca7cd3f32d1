import { parametersOf } from '../../../first-layer/cards/seed-card.js'
import { bytesOfAll, type SharedTables } from '../../../first-layer/embeddings/table-memory.js'
import { loaded, type ModelEntry, notLoaded, withoutTables } from '../entry.js'
import { noCard, uploadsGone } from '../errors.js'
import { heldBytes, keptBytes, mayFitLater, modelsToUnload } from './eviction.js'
import type { Maker } from './maker.js'
import type { RegisteredModel, RegisteredModels } from './registered-models.js'

export interface LoadOptions {
  /** Bytes of all tables together. */
  readonly maxTableBytes: number
  /** Bytes of memory beside the models' tables: of uploads, and of what owners hold. */
  reserved(): number
  /** Gives a model the tables that their owner has, in its turn. @returns whether it has any */
  reopen(model: RegisteredModel): Promise<boolean>
}

/** Loads models and unloads them. */
export class Loads {
  /** Continue the loads that wait for another one to end. */
  readonly #waiting: (() => void)[] = []

  constructor(
    private readonly models: RegisteredModels,
    private readonly maker: Maker,
    private readonly options: LoadOptions,
  ) {}

  /** Loads a model in its turn. @throws InletError `model_not_found`, and as `load` */
  async loadInTurn(id: string): Promise<ModelEntry> {
    const model = this.models.get(id)
    return model.loadInTurn(() => this.load(this.models.still(model)))
  }

  /**
   * Makes the tables of a model that has none. Call it in the model's turn.
   *
   * @throws InletError `model_failed`, `insufficient_memory`
   */
  async load(model: RegisteredModel): Promise<ModelEntry> {
    const { card, version, hasNoCard } = model.entry
    if (version !== undefined) return model.entry
    if (hasNoCard) throw noCard(model.entry)
    try {
      if (!(await this.options.reopen(model))) {
        if (card.source.type === 'upload') throw uploadsGone(model.id)
        const tables = await this.#make(model)
        model.coming = 0
        await this.models.tell(model, loaded(model.entry, tables))
      }
    } catch (error) {
      model.coming = 0
      await this.models.tell(model, notLoaded(model.entry, error))
      throw error
    } finally {
      // The callers that wait for this model lease it first: the next load may evict it.
      setImmediate(() => {
        for (const goOn of this.#waiting.splice(0)) goOn()
      })
    }
    return model.entry
  }

  /** Frees the tables of a model; uploaded ones are lost. Call it in the model's turn. */
  async unload(model: RegisteredModel): Promise<void> {
    if (model.entry.hasNoCard) return
    model.exchanged = false
    await this.models.tell(model, { ...withoutTables(model.entry), state: 'unloaded' })
    model.memories.clear()
  }

  /** Lets a model fail that was loaded. Call it in the model's turn. */
  async fail(model: RegisteredModel, message: string): Promise<void> {
    if (model.entry.version === undefined) return // another thread has said so
    model.exchanged = false
    const error = { code: 'model_failed', message } as const
    await this.models.tell(model, {
      ...withoutTables(model.entry),
      state: 'failed',
      error,
      isUnreadable: true,
    })
    model.memories.clear()
  }

  /**
   * Unloads the models used least recently until `bytes` fit.
   *
   * @param forModel whose present tables do not count
   * @throws InletError `insufficient_memory`
   */
  makeRoom(bytes: number, forModel?: string): void {
    const { maxTableBytes, reserved } = this.options
    for (const { id } of modelsToUnload(this.models.others(forModel), bytes + reserved(), maxTableBytes)) {
      const unloading = this.models.inTurn(id, async (model) => {
        if (!model.isKept) await this.unload(model) // an exchange may have been first
      })
      unloading.catch(() => {}) // the model may have been removed by then
    }
  }

  /** Bytes that a model could take more, were all others gone that may be evicted. It may be below 0. */
  roomLeft(model: RegisteredModel): number {
    const { maxTableBytes, reserved } = this.options
    const others = this.models.others(model.id)
    const coming = others.reduce((sum, each) => sum + (each.isKept ? 0 : each.coming), 0)
    const own = heldBytes(model.entry) + model.ownedBytes
    return maxTableBytes - reserved() - keptBytes(others) - coming - own
  }

  /** Takes room for a model's tables; waits while models are loading that could be evicted afterwards. */
  async #takeRoom(model: RegisteredModel, bytes: number): Promise<void> {
    const { maxTableBytes, reserved } = this.options
    for (;;) {
      try {
        this.makeRoom(bytes, model.id)
        model.coming = bytes
        return
      } catch (error) {
        if (!mayFitLater(this.models.others(model.id), bytes + reserved(), maxTableBytes)) throw error
        await new Promise<void>((resolve) => this.#waiting.push(resolve))
      }
    }
  }

  async #make(model: RegisteredModel): Promise<SharedTables> {
    const { card } = model.entry
    const layout = parametersOf(card)
    await this.#takeRoom(model, bytesOfAll(layout))
    this.models.noteUse([model.id])
    await this.models.tell(model, { ...withoutTables(model.entry), state: 'loading' })
    const tables = model.memories.take(layout)
    await this.maker.fill(card, tables)
    return tables
  }
}
