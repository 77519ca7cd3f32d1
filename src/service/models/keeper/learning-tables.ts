import {
  bytesOfAll,
  type SharedTables,
  type TableShape,
} from '../../../first-layer/embeddings/table-memory.js'
import { learned, type ModelVersion, withoutTables } from '../entry.js'
import { heldBytes } from './eviction.js'
import type { Loads } from './loads.js'
import type { RegisteredModel, RegisteredModels } from './registered-models.js'

/** Longest wait of a step for readers of the version before the present one, in milliseconds. */
const DRAIN_MS = 1000

/**
 * What learning does with the tables of models. Two memories take turns: readers have one, a step brings the other up to
 * date. All but `inTurn` is to be called in the model's turn.
 */
export class LearningTables {
  constructor(
    private readonly models: RegisteredModels,
    private readonly loads: Loads,
  ) {}

  find(id: string): RegisteredModel | undefined {
    return this.models.find(id)
  }

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
   * Makes room for what the model takes to learn, which it holds from then on.
   *
   * @param bytes of the learner's memory; the second copy of the tables comes beside them
   * @throws InletError `insufficient_memory`
   */
  makeRoom(model: RegisteredModel, bytes: number): void {
    const before = model.learning
    model.learning = bytes
    try {
      this.#evictFor(model, 0)
    } catch (error) {
      model.learning = before
      throw error
    }
  }

  /** Notes that the learner's memory has grown, within what `roomLeft` said. */
  grow(model: RegisteredModel, bytes: number): void {
    model.learning = bytes
    try {
      this.#evictFor(model, 0)
    } catch {
      // Another model has taken the room meanwhile: the next call of this one is refused.
    }
  }

  /** Makes room for so many bytes more, for a while. @throws InletError `insufficient_memory` */
  checkRoom(model: RegisteredModel, bytes: number): void {
    this.#evictFor(model, bytes)
  }

  /** Bytes that the model could take more, were all other models gone that can be made again. */
  roomLeft(model: RegisteredModel): number {
    return this.loads.roomLeft(model)
  }

  /** Tables as the model's, which nobody reads: the spare ones, when their readers have ended, or new ones. */
  async takeCopy(model: RegisteredModel): Promise<SharedTables> {
    const { memories } = model
    const { places } = presentTables(model)
    if (model.draining > 0) {
      await memories.spareWithin(DRAIN_MS)
      if (!memories.hasSpare && bytesOfAll(places) > this.roomLeft(model)) await memories.spareWithin()
    }
    if (!memories.hasSpare) this.#evictFor(model, model.draining > 0 ? bytesOfAll(places) : 0)
    return memories.take(places)
  }

  /**
   * Makes room for a model that goes on from its checkpoint, and takes memory for its tables.
   *
   * @param bytes of the learner's memory
   * @throws InletError `insufficient_memory`; nothing is held then
   */
  takeFirst(model: RegisteredModel, bytes: number, layout: readonly TableShape[]): SharedTables {
    this.loads.makeRoom(bytes + 2 * bytesOfAll(layout), model.id)
    const tables = model.memories.take(layout)
    model.learning = bytes
    return tables
  }

  /** The model's tables are being read. */
  async tellLoading(model: RegisteredModel): Promise<void> {
    await this.models.tell(model, { ...withoutTables(model.entry), state: 'loading' })
  }

  /** Frees the tables of a model that does not learn any more; they are made again when they are asked for. */
  async unload(model: RegisteredModel): Promise<void> {
    model.learning = undefined
    await this.loads.unload(model)
  }

  /** Gives tables back that no reader has had. */
  giveCopy(model: RegisteredModel, tables: SharedTables): void {
    model.memories.give(tables)
  }

  /** Every request that begins from now on reads these tables. @param version theirs, as the learner counts */
  async publish(model: RegisteredModel, tables: SharedTables, version: number): Promise<void> {
    model.exchanged = true
    await this.models.tell(model, learned({ ...model.entry, lastVersion: version - 1 }, tables))
  }

  /** Tells all threads the present tables once more, after a telling that failed half-way. */
  async publishAgain(model: RegisteredModel): Promise<void> {
    await this.models.tell(model, model.entry)
  }

  /** Settles with the tables that nobody reads when there are any: at once, or when the readers of a version have ended. */
  async whenSpare({ memories }: RegisteredModel): Promise<SharedTables | undefined> {
    await memories.spareWithin()
    return memories.spare
  }

  #evictFor(model: RegisteredModel, bytes: number): void {
    this.loads.makeRoom(heldBytes(model.entry) + model.learningBytes + bytes, model.id)
  }

  /** Tells all threads whether the model learns. */
  async tellLearns(model: RegisteredModel, learns: boolean): Promise<void> {
    if (!learns) {
      model.learning = undefined
      model.memories.clear()
    }
    const { learns: _, ...entry } = model.entry
    await this.models.tell(model, learns ? { ...entry, learns } : entry)
  }
}

function presentTables({ id, entry }: RegisteredModel): SharedTables {
  if (entry.version === undefined) throw new Error(`${id} has no tables.`)
  return entry.version.tables
}
