import type { SharedTables } from '../../first-layer/embeddings/table-memory.js'
import { InletError } from '../../service/answer/error-table.js'
import type { OwnedTables } from '../../service/models/keeper/owned-tables.js'
import type { RegisteredModel } from '../../service/models/keeper/registered-models.js'
import type { Remote } from '../../service/threads/channel.js'
import { noRoomToLearn } from './errors.js'
import type { CallResult, LearningCall, LearningProgress, TrainerBytes, TrainingState } from './jobs.js'
import type { TrainerPool } from './trainer-pool.js'

/** The optimizer of a model: its options, and how far it is. */
export interface OptimizerAnswer {
  readonly model: string
  /** The version of the tables as the last step left them. */
  readonly model_version: string
  readonly step: number
  /** Calls with gradients since the last step. */
  readonly pending: number
  readonly state_bytes: number
  /** `type` and its options, defaults filled in, `tables`, `rows`. */
  readonly [option: string]: unknown
}

/** How far a model was at its last checkpoint on the disk. */
export interface CheckpointMark extends Pick<LearningProgress, 'step' | 'writers'> {
  readonly model_version: string
}

/** A model that learns, as the first thread knows it. What follows is called in the model's turn. */
export class Training {
  /** The last one on the disk. */
  checkpoint: CheckpointMark | null = null
  /** The version that readers get. It is behind the trainer's where a step was made and could not be published. */
  #published: number
  /** The trainer's `now` when a memory with the model's tables was last up to date. */
  readonly #since = new WeakMap<SharedTables, number>()

  constructor(
    private readonly tables: OwnedTables,
    private readonly trainers: Remote<TrainerPool>,
    readonly model: RegisteredModel,
    public state: TrainingState,
  ) {
    this.#published = model.entry.version?.number ?? 0
  }

  get answer(): OptimizerAnswer {
    const { optimizer, step, pending, state_bytes } = this.state.progress
    const model_version = String(this.state.version)
    return { model: this.model.id, model_version, ...optimizer, step, pending, state_bytes }
  }

  /** How far the model is, as a checkpoint of this moment says it. */
  get mark(): CheckpointMark {
    const { progress, version } = this.state
    return { step: progress.step, model_version: String(version), writers: progress.writers }
  }

  /** Notes that these tables are as the trainer's. */
  noteUpToDate(tables: SharedTables): void {
    this.#since.set(tables, this.state.now)
  }

  /** Gradients or a step, once. A step takes the unread tables, which readers then get. */
  async call(call: LearningCall, ifVersions: readonly string[] | null): Promise<CallResult> {
    const { model } = this
    const copy = call.kind === 'step' ? await this.tables.takeCopy(model) : undefined
    let result: CallResult
    try {
      result = await this.#run(call, ifVersions, copy)
    } catch (error) {
      if (copy !== undefined) model.memories.give(copy)
      throw error
    }
    if (copy !== undefined) {
      if (result.isNew) await this.publish(copy)
      else model.memories.give(copy)
    }
    await this.#publishLate()
    return result
  }

  /** Every request that begins from now on reads these tables, which are up to date. */
  async publish(copy: SharedTables): Promise<void> {
    this.noteUpToDate(copy)
    const { version } = this.state
    await this.tables.publish(this.model, copy, version, 'learned')
    this.#published = version
    void this.#catchUp(version)
  }

  async #run(
    call: LearningCall,
    ifVersions: readonly string[] | null,
    tables: SharedTables | undefined,
  ): Promise<CallResult> {
    const { model } = this
    const gradientRoom = Math.max(0, this.tables.roomLeft(model))
    const { tables: present } = await this.tables.present(model)
    const copy = tables && { tables, since: this.#since.get(tables) }
    try {
      const result = await this.trainers.call(model.id, call, { ifVersions, gradientRoom, present, copy })
      this.state = result.state
      this.tables.grow(model, sumOf(result.state.bytes))
      return result
    } catch (error) {
      throw withBytes(error, model, this.state.bytes)
    }
  }

  /** Publishes a step that was made and not published: what failed then is tried again. */
  async #publishLate(): Promise<void> {
    const { model, state } = this
    if (this.#published === state.version) return
    if (model.entry.version?.number === state.version) {
      await this.tables.publishAgain(model) // some threads may have it
      this.#published = state.version
      return
    }
    const copy = await this.tables.takeCopy(model)
    try {
      await this.#bring(copy)
    } catch (error) {
      model.memories.give(copy)
      throw error
    }
    await this.publish(copy)
  }

  /** When the superseded tables have no reader any more, they get the rows that the last step changed: the next step need not copy them. */
  async #catchUp(version: number): Promise<void> {
    const { memories } = this.model
    await memories.spareWithin()
    const { spare } = memories
    // Told to the trainer before any later step: that one waits in its queue.
    if (spare === undefined || this.#published !== version || !this.#since.has(spare)) return
    this.#bring(spare).catch(() => {}) // the next step brings it up to date, or says why not
  }

  async #bring(tables: SharedTables): Promise<void> {
    const { id, entry } = this.model
    const copy = { tables, since: this.#since.get(tables) }
    this.#since.set(tables, await this.trainers.bring(id, copy, entry.version!.tables))
  }
}

export function sumOf({ tables, states, gradients }: TrainerBytes): number {
  return tables + states + gradients
}

/** An error about room with what the model takes to learn; any other as it is. */
export function withBytes(error: unknown, model: RegisteredModel, bytes: TrainerBytes): unknown {
  if (!(error instanceof InletError) || error.code !== 'insufficient_memory') return error
  return noRoomToLearn(model.id, error.message, { ...bytes, copies: model.copyBytes })
}
