import { parametersOf } from '../../../first-layer/cards/seed-card.js'
import { bytesOfAll, type SharedTables } from '../../../first-layer/embeddings/table-memory.js'
import { heldBytes, loaded, type ModelEntry, notLoaded, withoutTables } from '../../../models/entry.js'
import { tooLarge } from '../../../models/environment.js'
import { noCard, uploadsGone } from '../errors.js'
import type { Maker } from './maker.js'
import type { RegisteredModel, RegisteredModels } from './registered-models.js'

export interface LoadOptions {
  readonly maxTableBytes: number
  /** Bytes of memory beside the models' tables: of uploads. */
  reserved(): number
  /** Gives a model the tables that their owner has, in its turn. @returns whether it has any */
  reopen(model: RegisteredModel): Promise<boolean>
  /** Reads a model's card anew where its folder has changed. */
  refresh(model: RegisteredModel): Promise<void>
}

export class Loads {
  readonly #waiting: (() => void)[] = []

  constructor(
    private readonly models: RegisteredModels,
    private readonly maker: Maker,
    private readonly options: LoadOptions,
  ) {}

  async loadInTurn(id: string): Promise<ModelEntry> {
    const model = this.models.get(id)
    return model.loadInTurn(() => this.load(this.models.still(model)))
  }

  /**
   * Makes the tables of a model that has none. Call it in the model's turn.
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
   * @param forModel whose present tables do not count
   * @throws InletError `insufficient_memory` if unloading all that may be would not suffice
   */
  makeRoom(bytes: number, forModel?: string): void {
    const { maxTableBytes, reserved } = this.options
    const others = this.models.others(forModel)
    const evictable = others.filter(({ entry, isKept }) => !isKept && entry.version !== undefined)
    let total = bytes + reserved() + bytesTogether(others)
    const evicted: RegisteredModel[] = []
    for (const model of evictable.sort((a, b) => a.lastUsed - b.lastUsed)) {
      if (total <= maxTableBytes) break
      evicted.push(model)
      total -= heldBytes(model.entry)
    }
    if (total > maxTableBytes) throw tooLarge(total, maxTableBytes)
    for (const { id } of evicted) {
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
    return maxTableBytes - reserved() - bytesTogether(others.filter(({ isKept }) => isKept)) - coming - own
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
        const others = this.models.others(model.id)
        const kept = bytesTogether(others.filter(({ isKept }) => isKept))
        if (!others.some(({ coming }) => coming > 0) || bytes + reserved() + kept > maxTableBytes) throw error
        await new Promise<void>((resolve) => this.#waiting.push(resolve))
      }
    }
  }

  async #make(model: RegisteredModel): Promise<SharedTables> {
    await this.options.refresh(model)
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

function bytesTogether(models: readonly RegisteredModel[]): number {
  return models.reduce((sum, { allBytes }) => sum + allBytes, 0)
}
