import { setImmediate as nextTurn } from 'node:timers/promises'
import type { FolderSource } from '../../../first-layer/cards/model-card.js'
import { parametersOf } from '../../../first-layer/cards/seed-card.js'
import { bytesOfAll, type SharedTables } from '../../../first-layer/embeddings/table-memory.js'
import { WorkQueue } from '../../../first-layer/running/wait.js'
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
import type { Published } from '../../process/channel.js'
import { modelFailed, modelNotFound, noCard } from '../errors.js'
import type { Maker } from './maker.js'
import { RegisteredModel } from './registered-model.js'

/** Most models of a process: each has an entry in every thread, in `GET /v1/models` and in the metrics. */
export const MAX_MODELS = 1000

/** Longest wait for readers of the version before the present one, in milliseconds. */
const DRAIN_MS = 1000

/** Sends the libraries of all threads each change of a model: its entry as `model`, its id as `model gone`. */
export interface Threads {
  /** How many threads need scratch space in each model's memory. */
  readonly count: number
  publish(topic: string, value: unknown): Published
}

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

/** The models of the process, in its first thread: makes their tables, frees them, and tells every thread each change. */
export class Registry {
  owner: TableOwner | undefined
  /** Bytes of memory beside the models' tables: of uploads, and of the tables that are being made. */
  protected uploadBytes = 0
  #makingBytes = 0
  readonly #makes = new WorkQueue()
  readonly #models = new Map<string, RegisteredModel>()
  #uses = 0

  constructor(
    protected readonly threads: Threads,
    protected readonly maker: Maker,
    protected readonly options: KeeperOptions,
  ) {}

  /** Every model; a thread that starts later is told these. */
  entries(): readonly ModelEntry[] {
    return [...this.#models.values()].map(({ entry }) => entry)
  }

  find(id: string): RegisteredModel | undefined {
    return this.#models.get(id)
  }

  get(id: string): RegisteredModel {
    const model = this.#models.get(id)
    if (model === undefined) throw modelNotFound(id, [...this.#models.keys()])
    return model
  }

  async add(entry: ModelEntry): Promise<void> {
    await this.tell(this.register(entry), entry)
  }

  /** Notes that a model was used: the least recently used are evicted first. */
  async noteUse(id: string): Promise<void> {
    const model = this.#models.get(id)
    if (model !== undefined) model.lastUsed = ++this.#uses
  }

  protected checkCount(): void {
    if (this.#models.size < MAX_MODELS) return
    const message = `There can be at most ${MAX_MODELS} models: DELETE one first.`
    throw new InletError('insufficient_memory', message, 'model')
  }

  /** Adds a model here, not yet in the threads. @throws InletError as `checkCount` */
  protected register(entry: ModelEntry): RegisteredModel {
    this.checkCount()
    const model = new RegisteredModel(entry, this.threads.count, ++this.#uses)
    this.#models.set(model.id, model)
    return model
  }

  protected async drop(id: string): Promise<void> {
    this.#models.delete(id)
    await this.threads.publish('model gone', id).received
  }

  /** Runs `change` when all earlier changes of the model are done. @throws InletError `model_not_found` */
  async inTurn<Result>(id: string, change: (model: RegisteredModel) => Promise<Result>): Promise<Result> {
    const model = this.get(id)
    return model.inTurn(() => change(this.#still(model)))
  }

  #still(model: RegisteredModel): RegisteredModel {
    if (this.#models.get(model.id) === model) return model
    throw modelNotFound(model.id, [...this.#models.keys()])
  }

  /** Sends every thread the new entry, and keeps the superseded memory for the next exchange once no request reads it. */
  async tell(model: RegisteredModel, entry: ModelEntry): Promise<void> {
    const before = model.entry.version
    model.entry = { ...entry, isOwned: model.owned !== undefined || undefined }
    const { received, drained } = this.threads.publish('model', model.entry)
    await received
    if (before === undefined || before === entry.version) return
    model.draining++
    void drained.then(() => {
      model.draining--
      if (model.entry.version !== undefined) model.give(before.tables)
    })
  }

  /** Makes the tables of a model that has none. @throws `model_not_found`, `insufficient_memory`, `model_failed` */
  async load(id: string): Promise<ModelEntry> {
    const model = this.get(id)
    return model.loadInTurn(() => this.loadNow(this.#still(model)))
  }

  /** As {@link load}; call it in the model's turn. */
  async loadNow(model: RegisteredModel): Promise<ModelEntry> {
    const { card, version, hasNoCard } = model.entry
    if (version !== undefined) return model.entry
    if (hasNoCard) throw noCard(model.entry)
    try {
      if (!(await this.owner?.reopen(model))) {
        if (card.source.type === 'upload') {
          const message = `\`model\` ${shown(model.id)} was uploaded and then unloaded: DELETE it, and PUT it again.`
          throw new InletError('model_failed', message, 'model')
        }
        await this.#make(model)
      }
    } catch (error) {
      await this.tell(model, notLoaded(model.entry, error))
      throw error
    }
    return model.entry
  }

  /** Makes tables, of one model after the other: those of the one before may be evicted then. */
  async #make(model: RegisteredModel): Promise<void> {
    await this.#refresh(model)
    const { card } = model.entry
    const layout = parametersOf(card)
    const bytes = bytesOfAll(layout)
    const needed = bytes + this.uploadBytes + this.#keptBytes(model)
    if (needed > this.options.maxTableBytes) throw tooLarge(needed, this.options.maxTableBytes)
    await this.#makes.run(async () => {
      await nextTurn() // the callers that wait for the one before lease it first: this one may evict it
      this.makeRoom(bytes, model.id)
      this.#makingBytes = bytes
      let tables: SharedTables
      try {
        void this.noteUse(model.id)
        await this.tell(model, { ...withoutTables(model.entry), state: 'loading' })
        tables = model.take(layout)
        await this.maker.fill(card, tables)
      } finally {
        this.#makingBytes = 0
      }
      await this.tell(model, loaded(model.entry, tables))
    })
  }

  /** Reads the folder of a model anew, in its turn, where it has changed since its card was read. */
  async #refresh(model: RegisteredModel): Promise<void> {
    const { source } = model.entry.card
    if (source.type !== 'folder' || !(await this.options.hasChanged?.(source))) return
    const entry = await this.options.readFolder?.(model.id)
    if (entry?.error !== undefined) throw modelFailed(model.id, entry.error.message)
    if (entry !== undefined) await this.replaceCard(model, entry)
  }

  protected async replaceCard(model: RegisteredModel, { card }: ModelEntry): Promise<void> {
    const { version, lastVersion } = model.entry
    if (version === undefined) await this.tell(model, { ...unloaded(card, 'folder'), lastVersion })
  }

  /** Frees the tables of a model; uploaded ones are lost. Call it in the model's turn. */
  async free(model: RegisteredModel, state: Partial<ModelEntry> = {}): Promise<void> {
    if (model.entry.hasNoCard) return
    model.exchanged = false
    await this.tell(model, { ...withoutTables(model.entry), state: 'unloaded', ...state })
    model.spare = undefined
  }

  /** @throws InletError the owner's refusal, if the model's tables have an owner */
  protected checkFree({ id, owned }: RegisteredModel): void {
    if (owned !== undefined) throw this.owner!.refusal(id)
  }

  /**
   * Unloads the models used least recently until `bytes` fit.
   * @param forModel whose present tables do not count
   * @throws InletError `insufficient_memory` if unloading all that may be would not suffice
   */
  makeRoom(bytes: number, forModel: string): void {
    const { maxTableBytes } = this.options
    const others = [...this.#models.values()].filter(({ id }) => id !== forModel)
    const evictable = others.filter(({ entry, isKept }) => !isKept && entry.version !== undefined)
    let total = others.reduce(
      (sum, { allBytes }) => sum + allBytes,
      bytes + this.uploadBytes + this.#makingBytes,
    )
    const evicted: RegisteredModel[] = []
    for (const model of evictable.sort((a, b) => a.lastUsed - b.lastUsed)) {
      if (total <= maxTableBytes) break
      evicted.push(model)
      total -= heldBytes(model.entry)
    }
    if (total > maxTableBytes) throw tooLarge(total, maxTableBytes)
    for (const { id } of evicted) {
      const unloading = this.inTurn(id, async (model) => {
        if (!model.isKept) await this.free(model) // an exchange may have been first
      })
      unloading.catch(() => {}) // the model may have been removed by then
    }
  }

  /** Bytes that a model could take more, were all others gone that may be evicted. It may be below 0. */
  roomLeft(model: RegisteredModel): number {
    const taken = this.uploadBytes + this.#makingBytes + this.#keptBytes(model)
    return this.options.maxTableBytes - taken - model.allBytes
  }

  /** Bytes of the other models that are never evicted. */
  #keptBytes(besides: RegisteredModel): number {
    const kept = [...this.#models.values()].filter((model) => model !== besides && model.isKept)
    return kept.reduce((sum, { allBytes }) => sum + allBytes, 0)
  }

  /**
   * Unread memory of the model's layout, for the owner of its tables, in the model's turn: the spare one, when its readers have
   * ended, or a new one.
   */
  async takeCopy(model: RegisteredModel): Promise<SharedTables> {
    const { places } = model.entry.version!.tables
    const bytes = bytesOfAll(places)
    if (model.draining > 0) await model.spareWithin(bytes > this.roomLeft(model) ? undefined : DRAIN_MS)
    if (model.spare === undefined) this.makeRoom(model.allBytes + (model.draining > 0 ? bytes : 0), model.id)
    return model.take(places)
  }
}
