import type { SharedTables } from '../../first-layer/embeddings/table-memory.js'
import type { OwnedTables } from '../../service/models/keeper/owned-tables.js'
import type { RegisteredModel } from '../../service/models/keeper/registered-models.js'
import type { CheckpointMark } from './admin.js'
import { optimizerNotFound } from './errors.js'
import type { LearnerFacts } from './jobs.js'
import { sum, withBytes } from './learner-bytes.js'

/** A model that learns, as the first thread knows it. */
export interface Learned {
  readonly model: RegisteredModel
  facts: LearnerFacts
  /** The last one on the disk. */
  checkpoint: CheckpointMark | null
  /** The version that readers get. It is behind the learner's where a step was made and could not be published. */
  published: number
  /** When a memory with the model's tables was last up to date. */
  readonly since: WeakMap<SharedTables, number>
}

/** The models that learn, in the first thread. Whatever concerns one of them is called in its turn. */
export class LearnedModels {
  readonly #learned = new Map<string, Learned>()
  /** Ids of models that have a checkpoint on the disk. */
  readonly #stored: Set<string>

  /** @param stored ids of models whose checkpoints earlier processes have left */
  constructor(
    private readonly tables: OwnedTables,
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
    return this.#learned.has(id) || this.#stored.has(id)
  }

  /** A model that learns; undefined too where its checkpoint has not been read. */
  find(id: string): Learned | undefined {
    return this.#learned.get(id)
  }

  /** The same; one that has not been asked for since the start is read now. @throws InletError `optimizer_not_found` */
  async get(model: RegisteredModel): Promise<Learned> {
    if (this.isStored(model.id)) await this.tables.present(model)
    const learned = this.find(model.id)
    if (learned === undefined) throw optimizerNotFound(model.id)
    return learned
  }

  /** @param copy tables that are up to date now */
  add(model: RegisteredModel, facts: LearnerFacts, copy: SharedTables): Learned {
    const since = new WeakMap([[copy, facts.now]])
    const checkpoint = this.find(model.id)?.checkpoint ?? null
    const learned = { model, facts, checkpoint, since, published: model.entry.version?.number ?? 0 }
    this.#learned.set(model.id, learned)
    return learned
  }

  /** Notes that all of a model is on the disk. */
  noteCheckpoint(learned: Learned): CheckpointMark {
    const mark = markOf(learned.facts)
    learned.checkpoint = mark
    this.#stored.add(learned.model.id)
    return mark
  }

  /** Makes room and a copy of the tables for a learner, which `begin` makes. Where that fails, all is as it was. */
  async begin(
    model: RegisteredModel,
    bytes: LearnerFacts['bytes'],
    begin: (copy: SharedTables) => Promise<LearnerFacts>,
  ): Promise<{ readonly learned: Learned; readonly copy: SharedTables }> {
    const before = model.owned
    try {
      this.#makeRoom(model, bytes)
      const copy = await this.tables.takeCopy(model)
      let facts: LearnerFacts
      try {
        facts = await begin(copy)
      } catch (error) {
        model.memories.give(copy)
        throw error
      }
      model.owned = sum(facts.bytes)
      return { learned: this.add(model, facts, copy), copy }
    } catch (error) {
      model.owned = before
      throw error
    }
  }

  /** The model's tables are not there, and its learner is gone; a checkpoint stays. */
  letGo(id: string): void {
    this.#learned.delete(id)
  }

  /** The model learns no more. */
  delete(id: string): void {
    this.#learned.delete(id)
    this.#stored.delete(id)
  }

  all(): readonly Learned[] {
    return [...this.#learned.values()]
  }

  #makeRoom(model: RegisteredModel, bytes: LearnerFacts['bytes']): void {
    try {
      this.tables.makeRoom(model, sum(bytes))
    } catch (error) {
      throw withBytes(error, model, bytes)
    }
  }
}

/** How far a model is, as a checkpoint of this moment says it. */
export function markOf({ state, version }: LearnerFacts): CheckpointMark {
  return { step: state.step, model_version: String(version), writers: state.writers }
}
