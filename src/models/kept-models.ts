import type { InletError } from '../errors.js'
import type { ModelEntry } from './entry.js'
import { KeptModel } from './kept-model.js'
import { Memories } from './memories.js'
import { type ModelCard, widestRow } from './model-card.js'
import { modelNotFound, tooManyModels } from './model-errors.js'
import { mayFitLater, modelsToUnload } from './room.js'
import type { Threads } from './threads.js'

/** Most models of a process: each has an entry in every thread, in `GET /v1/models` and in the metrics. */
export const MAX_MODELS = 1000

/** All models of the process, and how the threads are told of them. */
export class KeptModels {
  readonly #models = new Map<string, KeptModel>()
  #uses = 0

  constructor(private readonly threads: Threads) {}

  /** Every model; a thread that starts later is told these. */
  entries(): readonly ModelEntry[] {
    return [...this.#models.values()].map(({ entry }) => entry)
  }

  find(id: string): KeptModel | undefined {
    return this.#models.get(id)
  }

  /** @throws InletError `model_not_found` */
  get(id: string): KeptModel {
    const kept = this.#models.get(id)
    if (kept === undefined) throw this.#notFound(id)
    return kept
  }

  /** @throws InletError `insufficient_memory` where there are as many models as there may be */
  checkCount(): void {
    if (this.#models.size >= MAX_MODELS) throw tooManyModels(MAX_MODELS)
  }

  /** Makes a model known here, not yet to the threads. @throws InletError as `checkCount` */
  add(entry: ModelEntry): KeptModel {
    this.checkCount()
    const kept = new KeptModel(entry, this.newMemories(entry.card), ++this.#uses)
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
  async inTurn<Result>(id: string, change: (kept: KeptModel) => Promise<Result>): Promise<Result> {
    const kept = this.get(id)
    return kept.inTurn(() => change(this.still(kept)))
  }

  /** The model, where it was not removed meanwhile. @throws InletError `model_not_found` */
  still(kept: KeptModel): KeptModel {
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
  async tell(kept: KeptModel, entry: ModelEntry): Promise<void> {
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
  inTheWay(bytes: number, forModel: string, maxTableBytes: number): readonly KeptModel[] {
    return modelsToUnload(this.#others(forModel), bytes, maxTableBytes)
  }

  /** Whether `bytes` more may fit once the tables are made that are being made now. */
  mayFitLater(bytes: number, forModel: string, maxTableBytes: number): boolean {
    return mayFitLater(this.#others(forModel), bytes, maxTableBytes)
  }

  #others(id: string): readonly KeptModel[] {
    return [...this.#models.values()].filter((each) => each.id !== id)
  }

  #notFound(id: string): InletError {
    return modelNotFound(id, [...this.#models.keys()])
  }
}
