import type { FolderSource } from '../../../first-layer/cards/model-card.js'
import { parametersOf } from '../../../first-layer/cards/seed-card.js'
import { bytesOfAll, type SharedTables } from '../../../first-layer/embeddings/table-memory.js'
import {
  heldBytes,
  loaded,
  type ModelEntry,
  notLoaded,
  unloaded,
  withoutTables,
} from '../../../models/entry.js'
import { tooLarge } from '../../../models/environment.js'
import { InletError, shown } from '../../answer/error-table.js'
import { modelFailed, noCard } from '../errors.js'
import type { Maker } from './maker.js'
import type { RegisteredModel, RegisteredModels } from './registered-models.js'

export interface KeeperOptions {
  /** Reads the folder of a model as it is now; undefined where the configuration has none of that name. */
  readFolder?(id: string): Promise<ModelEntry | undefined>
  /** Whether a folder has changed since its card was read. Default: none has. */
  hasChanged?(source: FolderSource): Promise<boolean>
  /** Bytes of all tables together. */
  readonly maxTableBytes: number
}

/** Exclusive writer of a model's tables (training). It may keep them elsewhere than in memory. */
export interface TableOwner {
  has(id: string): boolean
  /** Gives a model without tables those that it has elsewhere, in the model's turn. @returns whether it has any */
  reopen(model: RegisteredModel): Promise<boolean>
  forget(id: string): Promise<void>
  refusal(id: string): InletError
}

/** Makes the tables of models, and frees them. */
export class Loads {
  owner: TableOwner | undefined
  /** Bytes of memory beside the models' tables: of uploads. */
  uploadBytes = 0
  readonly #waiting: (() => void)[] = []

  constructor(
    private readonly models: RegisteredModels,
    private readonly maker: Maker,
    readonly options: KeeperOptions,
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
      if (!(await this.owner?.reopen(model))) {
        if (card.source.type === 'upload') {
          const message = `\`model\` ${shown(model.id)} was uploaded and then unloaded: DELETE it, and PUT it again.`
          throw new InletError('model_failed', message, 'model')
        }
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
  async unload(model: RegisteredModel, state: Partial<ModelEntry> = { state: 'unloaded' }): Promise<void> {
    if (model.entry.hasNoCard) return
    model.exchanged = false
    await this.models.tell(model, { ...withoutTables(model.entry), state: 'unloaded', ...state })
    model.spare = undefined
  }

  /** Lets a model fail that was loaded. Call it in the model's turn. */
  async fail(model: RegisteredModel, message: string): Promise<void> {
    if (model.entry.version === undefined) return // another thread has said so
    await this.unload(model, {
      state: 'failed',
      error: { code: 'model_failed', message },
      isUnreadable: true,
    })
  }

  async replaceCard(model: RegisteredModel, { card }: ModelEntry): Promise<void> {
    const { version, lastVersion } = model.entry
    if (version === undefined) await this.models.tell(model, { ...unloaded(card, 'folder'), lastVersion })
  }

  /** @throws InletError the owner's refusal, if the model's tables have an owner */
  checkFree({ id, owned }: RegisteredModel): void {
    if (owned !== undefined) throw this.owner!.refusal(id)
  }

  /**
   * Unloads the models used least recently until `bytes` fit.
   * @param forModel whose present tables do not count
   * @throws InletError `insufficient_memory` if unloading all that may be would not suffice
   */
  makeRoom(bytes: number, forModel?: string): void {
    const { maxTableBytes } = this.options
    const others = this.models.others(forModel)
    const evictable = others.filter(({ entry, isKept }) => !isKept && entry.version !== undefined)
    let total = bytes + this.uploadBytes + sumOf(others, ({ allBytes }) => allBytes)
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
    const others = this.models.others(model.id)
    const taken = sumOf(others, ({ isKept, allBytes, coming }) => (isKept ? allBytes : coming))
    return this.options.maxTableBytes - this.uploadBytes - taken - heldBytes(model.entry) - model.ownedBytes
  }

  /** Takes room for a model's tables; waits while models are loading that could be evicted afterwards. */
  async #takeRoom(model: RegisteredModel, bytes: number): Promise<void> {
    for (;;) {
      try {
        this.makeRoom(bytes, model.id)
        model.coming = bytes
        return
      } catch (error) {
        const others = this.models.others(model.id)
        const kept = sumOf(others, ({ isKept, allBytes }) => (isKept ? allBytes : 0))
        const mayFit = bytes + this.uploadBytes + kept <= this.options.maxTableBytes
        if (!mayFit || !others.some(({ coming }) => coming > 0)) throw error
        await new Promise<void>((resolve) => this.#waiting.push(resolve))
      }
    }
  }

  async #make(model: RegisteredModel): Promise<SharedTables> {
    await this.#refresh(model)
    const { card } = model.entry
    const layout = parametersOf(card)
    await this.#takeRoom(model, bytesOfAll(layout))
    this.models.noteUse([model.id])
    await this.models.tell(model, { ...withoutTables(model.entry), state: 'loading' })
    const tables = model.take(layout)
    await this.maker.fill(card, tables)
    return tables
  }

  /** Reads the folder of a model anew, in its turn, where it has changed since its card was read. */
  async #refresh(model: RegisteredModel): Promise<void> {
    const { source } = model.entry.card
    if (source.type !== 'folder' || !(await this.options.hasChanged?.(source))) return
    const entry = await this.options.readFolder?.(model.id)
    if (entry?.error !== undefined) throw modelFailed(model.id, entry.error.message)
    if (entry !== undefined) await this.replaceCard(model, entry)
  }
}

function sumOf(models: readonly RegisteredModel[], bytes: (model: RegisteredModel) => number): number {
  return models.reduce((sum, model) => sum + bytes(model), 0)
}
