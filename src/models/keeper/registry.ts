import type { InletError } from '../../errors.js'
import { type ModelCard, widestRow } from '../../first-layer/cards/model-card.js'
import type { ModelEntry } from '../entry.js'
import { modelNotFound, tooManyModels } from '../errors.js'
import { mayFitLater, modelsToUnload } from './eviction.js'
import { Memories } from './memories.js'

/** Most models of a process: each has an entry in every thread, in `GET /v1/models` and in the metrics. */
export const MAX_MODELS = 1000

/** All models of the process, and how the threads are told of them. */
export class Registry {
  readonly #models = new Map<string, RegisteredModel>()
  #uses = 0

  constructor(private readonly threads: Threads) {}

  /** Every model; a thread that starts later is told these. */
  entries(): readonly ModelEntry[] {
    return [...this.#models.values()].map(({ entry }) => entry)
  }

  find(id: string): RegisteredModel | undefined {
    return this.#models.get(id)
  }

  /** @throws InletError `model_not_found` */
  get(id: string): RegisteredModel {
    const kept = this.#models.get(id)
    if (kept === undefined) throw this.#notFound(id)
    return kept
  }

  /** @throws InletError `insufficient_memory` where there are as many models as there may be */
  checkCount(): void {
    if (this.#models.size >= MAX_MODELS) throw tooManyModels(MAX_MODELS)
  }

  /** Makes a model known here, not yet to the threads. @throws InletError as `checkCount` */
  add(entry: ModelEntry): RegisteredModel {
    this.checkCount()
    const kept = new RegisteredModel(entry, this.newMemories(entry.card), ++this.#uses)
    this.#models.set(kept.id, kept)
    return kept
  }

  newMemories(card: ModelCard): Memories {
    return new Memories(widestRow(card), this.threads.count)
  }

  /**
   * Runs `change` when all earlier changes of the model are done.
   *
   * @throws InletError `model_not_found`, also where the model was removed meanwhile
   */
  async inTurn<Result>(id: string, change: (kept: RegisteredModel) => Promise<Result>): Promise<Result> {
    const kept = this.get(id)
    return kept.inTurn(() => change(this.still(kept)))
  }

  /** The model, where it was not removed meanwhile. @throws InletError `model_not_found` */
  still(kept: RegisteredModel): RegisteredModel {
    if (this.#models.get(kept.id) !== kept) throw this.#notFound(kept.id)
    return kept
  }

  async remove(id: string): Promise<void> {
    this.#models.delete(id)
    await this.threads.drop(id)
  }

  /**
   * Tells every thread of the new entry. When no request reads the old memory any more, it is kept for the next
   * exchange.
   */
  async tell(kept: RegisteredModel, entry: ModelEntry): Promise<void> {
    const before = kept.entry.version
    kept.entry = entry
    const { drained } = await this.threads.put(entry)
    if (before === undefined || before === entry.version) return
    void drained.then(() => {
      if (kept.entry.version !== undefined) kept.memories.give(before.tables)
    })
  }

  /** Notes that these models were used now. */
  noteUse(ids: readonly string[]): void {
    this.#uses++
    for (const id of ids) {
      const kept = this.#models.get(id)
      if (kept !== undefined) kept.lastUsed = this.#uses
    }
  }

  /**
   * The models to unload, those used least recently first, so that `bytes` more fit.
   *
   * @param forModel the model that needs the room: its own tables do not count
   * @throws InletError `insufficient_memory`
   */
  inTheWay(bytes: number, forModel: string, maxTableBytes: number): readonly RegisteredModel[] {
    return modelsToUnload(this.#others(forModel), bytes, maxTableBytes)
  }

  /** Whether `bytes` more may fit once the tables are made that are being made now. */
  mayFitLater(bytes: number, forModel: string, maxTableBytes: number): boolean {
    return mayFitLater(this.#others(forModel), bytes, maxTableBytes)
  }

  #others(id: string): readonly RegisteredModel[] {
    return [...this.#models.values()].filter((each) => each.id !== id)
  }

  #notFound(id: string): InletError {
    return modelNotFound(id, [...this.#models.keys()])
  }
}

/** One model as the keeper knows it. Changes to it run one after the other. */
export class RegisteredModel {
  /** Whether tables were uploaded: the service could not make those again from the card's source. */
  exchanged = false
  /** Bytes of the tables that are being made for it. */
  coming = 0
  #loading: Promise<ModelEntry> | undefined
  #busy: Promise<unknown> = Promise.resolve()

  /** @param lastUsed a counter: the greater, the later */
  constructor(
    public entry: ModelEntry,
    readonly memories: Memories,
    public lastUsed: number,
  ) {}

  get id(): string {
    return this.entry.card.id
  }

  /** Settles when the changes that were asked for so far are done. */
  get settled(): Promise<unknown> {
    return this.#busy
  }

  /** Runs `change` when all earlier changes are done. */
  inTurn<Result>(change: () => Promise<Result>): Promise<Result> {
    this.#loading = undefined // what is asked for from now on comes after this change
    const result = this.#busy.then(change)
    this.#busy = result.catch(() => {})
    return result
  }

  /**
   * Runs `load` in turn, once for all callers between two other changes. If each caller had a turn of its own, a model
   * that is unloaded between two turns would be loaded again for a caller that may have left long ago.
   */
  loadInTurn(load: () => Promise<ModelEntry>): Promise<ModelEntry> {
    if (this.#loading !== undefined) return this.#loading
    const loading = this.inTurn(load).finally(() => {
      if (this.#loading === loading) this.#loading = undefined // a model without room may find some later
    })
    this.#loading = loading
    return loading
  }
}

/** The keeper's way to tell the libraries of all threads which models there are. */
export interface Threads {
  /** How many threads need scratch space in each model's memory. */
  readonly count: number
  /**
   * Settles when every thread has taken the entry in; `drained` settles when no thread reads the superseded
   * version.
   */
  put(entry: ModelEntry): Promise<Drained>
  /** Settles when every thread has dropped the model; `drained` settles when no thread reads it any more. */
  drop(id: string): Promise<Drained>
}

export interface Drained {
  readonly drained: Promise<void>
}
