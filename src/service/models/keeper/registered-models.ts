import { type ModelCard, widestRow } from '../../../first-layer/cards/model-card.js'
import {
  allocateTables,
  type SharedTables,
  sameLayout,
  type TableShape,
} from '../../../first-layer/embeddings/table-memory.js'
import { WorkQueue } from '../../../first-layer/running/wait.js'
import { heldBytes, type ModelEntry } from '../../../models/entry.js'
import { InletError } from '../../answer/error-table.js'
import type { Published } from '../../process/channel.js'
import { modelNotFound } from '../errors.js'

/** Most models of a process: each has an entry in every thread, in `GET /v1/models` and in the metrics. */
export const MAX_MODELS = 1000

/** Sends the libraries of all threads each change of a model: its entry as `model`, its id as `model gone`. */
export interface Threads {
  /** How many threads need scratch space in each model's memory. */
  readonly count: number
  publish(topic: string, value: unknown): Published
}

/** One model of the registry. Changes to it run one after the other. */
export class RegisteredModel {
  /** Whether its tables were uploaded: the card's source could not make those again. */
  exchanged = false
  /** Bytes of the tables that are being made. */
  coming = 0
  /** Bytes that the owner of its tables holds beside them; undefined: they have none. */
  owned: number | undefined
  /** Superseded versions that requests still read. */
  draining = 0
  /**
   * An unread memory for the next exchange: those of equal layout alternate between two. New memories are freed only when the
   * garbage collector runs, so fifty exchanges in a row could hold fifty of them.
   */
  spare: SharedTables | undefined
  #forSpare: (() => void)[] = []
  #loading: Promise<ModelEntry> | undefined
  readonly #changes = new WorkQueue()

  /** @param lastUsed a counter: the greater, the later */
  constructor(
    public entry: ModelEntry,
    private readonly threads: number,
    public lastUsed: number,
  ) {}

  get id(): string {
    return this.entry.card.id
  }

  /** Whether nothing could make its tables again: such a model is never evicted. */
  get isKept(): boolean {
    return this.exchanged || this.owned !== undefined
  }

  /** All bytes that an owner takes: its own, and each memory with tables besides the present one. */
  get ownedBytes(): number {
    return this.owned === undefined ? 0 : this.owned + this.copyBytes
  }

  /** Bytes of the other copies of its tables that a model with an owner has. */
  get copyBytes(): number {
    const besides = this.draining + (this.spare === undefined ? 0 : 1)
    return Math.max(1, besides) * heldBytes(this.entry)
  }

  get allBytes(): number {
    return heldBytes(this.entry) + this.coming + this.ownedBytes
  }

  /** Settles when all changes requested so far are done. */
  get idle(): Promise<unknown> {
    return this.#changes.run(async () => {})
  }

  /** Memory for tables of this layout, the spare one or a new one; its content is undefined. @throws as {@link memoryFor} */
  take(layout: readonly TableShape[]): SharedTables {
    const { spare } = this
    this.spare = undefined // one of another layout would keep the next spare from its place
    const isFit = spare !== undefined && sameLayout(spare.places, layout)
    return isFit ? spare : memoryFor(this.entry.card, layout, this.threads)
  }

  /** Keeps an unused memory for the next exchange, unless there is a spare one already. */
  give(tables: SharedTables): void {
    this.spare ??= tables
    for (const goOn of this.#forSpare.splice(0)) goOn()
  }

  /** Settles when there is a spare memory, or after so many milliseconds. */
  async spareWithin(milliseconds?: number): Promise<void> {
    if (this.spare !== undefined) return
    let timer: NodeJS.Timeout | undefined
    await new Promise<void>((resolve) => {
      this.#forSpare.push(resolve)
      if (milliseconds !== undefined) timer = setTimeout(resolve, milliseconds)
    })
    clearTimeout(timer)
  }

  inTurn<Result>(change: () => Promise<Result>): Promise<Result> {
    this.#loading = undefined // a later load comes after this change
    return this.#changes.run(change)
  }

  /**
   * Runs `load` in turn, once for all callers between two other changes. With a turn for each caller, a model
   * that is unloaded between two turns would be loaded again for a caller that may have left long ago.
   */
  loadInTurn(load: () => Promise<ModelEntry>): Promise<ModelEntry> {
    if (this.#loading !== undefined) return this.#loading
    const loading = this.inTurn(load).finally(() => {
      if (this.#loading === loading) this.#loading = undefined // the next caller may find room
    })
    this.#loading = loading
    return loading
  }
}

/** @throws InletError `insufficient_memory` above 4 GiB, or if the system cannot give so much */
export function memoryFor(card: ModelCard, layout: readonly TableShape[], threads: number): SharedTables {
  try {
    return allocateTables(layout, widestRow(card), threads)
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    throw new InletError('insufficient_memory', error.message)
  }
}

export class RegisteredModels {
  readonly #models = new Map<string, RegisteredModel>()
  #uses = 0

  constructor(readonly threads: Threads) {}

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

  others(id?: string): readonly RegisteredModel[] {
    return [...this.#models.values()].filter((each) => each.id !== id)
  }

  checkCount(): void {
    if (this.#models.size < MAX_MODELS) return
    const message = `There can be at most ${MAX_MODELS} models: DELETE one first.`
    throw new InletError('insufficient_memory', message, 'model')
  }

  /** Adds a model here, not yet in the threads. @throws InletError as `checkCount` */
  add(entry: ModelEntry): RegisteredModel {
    this.checkCount()
    const model = new RegisteredModel(entry, this.threads.count, ++this.#uses)
    this.#models.set(model.id, model)
    return model
  }

  /** Runs `change` when all earlier changes of the model are done. @throws InletError `model_not_found` */
  async inTurn<Result>(id: string, change: (model: RegisteredModel) => Promise<Result>): Promise<Result> {
    const model = this.get(id)
    return model.inTurn(() => change(this.still(model)))
  }

  still(model: RegisteredModel): RegisteredModel {
    if (this.#models.get(model.id) === model) return model
    throw modelNotFound(model.id, [...this.#models.keys()])
  }

  async remove(id: string): Promise<void> {
    this.#models.delete(id)
    await this.threads.publish('model gone', id).received
  }

  /** Sends every thread the new entry, and keeps the superseded memory for the next exchange once no request reads it. */
  async tell(model: RegisteredModel, entry: ModelEntry): Promise<void> {
    const before = model.entry.version
    model.entry = entry
    const { received, drained } = this.threads.publish('model', entry)
    await received
    if (before === undefined || before === entry.version) return
    model.draining++
    void drained.then(() => {
      model.draining--
      if (model.entry.version !== undefined) model.give(before.tables)
    })
  }

  noteUse(ids: readonly string[]): void {
    this.#uses++
    for (const id of ids) {
      const model = this.#models.get(id)
      if (model !== undefined) model.lastUsed = this.#uses
    }
  }
}
