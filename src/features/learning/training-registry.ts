import type { SharedTables } from '../../first-layer/embeddings/table-memory.js'
import type { OwnedTables } from '../../service/models/keeper/owned-tables.js'
import type { RegisteredModel } from '../../service/models/keeper/registered-models.js'
import type { Remote } from '../../service/threads/channel.js'
import type { CheckpointFolders } from './checkpoint-folders.js'
import { optimizerNotFound } from './errors.js'
import type { TrainerBytes, TrainingState } from './jobs.js'
import type { TrainerPool } from './trainer-pool.js'
import { sumOf, Training, withBytes } from './training.js'

/** The models that learn, in the first thread. Whatever concerns one of them is called in its turn. */
export class TrainingRegistry {
  readonly #trainings = new Map<string, Training>()
  /** Ids of models that have a checkpoint on the disk. */
  readonly #stored: Set<string>

  /** @param stored ids of models whose checkpoints earlier processes have left */
  constructor(
    private readonly tables: OwnedTables,
    private readonly trainers: Remote<TrainerPool>,
    private readonly folders: CheckpointFolders | undefined,
    stored: Iterable<string>,
  ) {
    this.#stored = new Set(stored)
  }

  /** Whether a model has a checkpoint on the disk. */
  isStored(id: string): boolean {
    return this.#stored.has(id)
  }

  /** Whether a model learns, or will when its checkpoint has been read. */
  has(id: string): boolean {
    return this.#trainings.has(id) || this.#stored.has(id)
  }

  /** A model that learns; undefined too where its checkpoint has not been read. */
  find(id: string): Training | undefined {
    return this.#trainings.get(id)
  }

  /** The same; one that has not been asked for since the start is read now. @throws InletError `optimizer_not_found` */
  async get(model: RegisteredModel): Promise<Training> {
    if (this.isStored(model.id)) await this.tables.present(model)
    const training = this.find(model.id)
    if (training === undefined) throw optimizerNotFound(model.id)
    return training
  }

  all(): readonly Training[] {
    return [...this.#trainings.values()]
  }

  /** @param copy tables that are up to date now */
  add(model: RegisteredModel, state: TrainingState, copy: SharedTables): Training {
    const training = new Training(this.tables, this.trainers, model, state)
    training.noteUpToDate(copy)
    training.checkpoint = this.find(model.id)?.checkpoint ?? null
    this.#trainings.set(model.id, training)
    return training
  }

  /**
   * Makes room and a copy of the tables for a trainer, which `begin` makes, and takes the model's folder. Where that fails,
   * all is as it was.
   */
  async begin(
    model: RegisteredModel,
    bytes: TrainerBytes,
    begin: (copy: SharedTables) => Promise<TrainingState>,
  ): Promise<{ readonly training: Training; readonly copy: SharedTables; readonly made: boolean }> {
    const { id, owned: before } = model
    const made = this.find(id) === undefined
    if (made) await this.folders?.take(id)
    try {
      this.#makeRoom(model, bytes)
      const copy = await this.tables.takeCopy(model)
      let state: TrainingState
      try {
        state = await begin(copy)
      } catch (error) {
        model.memories.give(copy)
        throw error
      }
      model.owned = sumOf(state.bytes)
      return { training: this.add(model, state, copy), copy, made }
    } catch (error) {
      model.owned = before
      if (made) await this.folders?.remove(id)
      throw error
    }
  }

  /** Notes that all of a model is on the disk. */
  noteCheckpoint(training: Training): void {
    training.checkpoint = training.mark
    this.#stored.add(training.model.id)
  }

  /** The model has no tables and no trainer any more; a checkpoint stays. */
  release(id: string): void {
    this.#trainings.delete(id)
  }

  /** The model learns no more. */
  delete(id: string): void {
    this.#trainings.delete(id)
    this.#stored.delete(id)
  }

  #makeRoom(model: RegisteredModel, bytes: TrainerBytes): void {
    try {
      this.tables.makeRoom(model, sumOf(bytes))
    } catch (error) {
      throw withBytes(error, model, bytes)
    }
  }
}
