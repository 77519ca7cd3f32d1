import { isDeepStrictEqual } from 'node:util'
import type { SharedTables } from '../../first-layer/embeddings/table-memory.js'
import {
  describeOptimizer,
  type Optimizer,
  readOptimizer,
} from '../../first-layer/learning/optimizer-options.js'
import { InletError } from '../../service/answer/error-table.js'
import type { Keeper } from '../../service/models/keeper/keeper.js'
import type { OwnedTables, TableOwner } from '../../service/models/keeper/owned-tables.js'
import type { RegisteredModel } from '../../service/models/keeper/registered-models.js'
import type { Remote } from '../../service/threads/channel.js'
import { learnablePlaces } from './checkpoint-file.js'
import type { CheckpointFolders } from './checkpoint-folders.js'
import { cannotGoOn, optimizerExists, optimizerNotFound } from './errors.js'
import type { CallAnswer, LearningCall, LearningProgress, ReopenedModel, TrainerBytes } from './jobs.js'
import { checkCard, type HeldFile, LearningCheckpoints } from './learning-checkpoints.js'
import type { TrainerPool } from './trainer-pool.js'
import { type CheckpointMark, type OptimizerAnswer, sumOf, withBytes } from './training.js'
import { TrainingRegistry } from './training-registry.js'

/** The process's parts for learning. */
export interface LearningOptions {
  readonly log: {
    debug(facts: object, message: string): void
    info(facts: object, message: string): void
    error(facts: object, message: string): void
  }
  /** Counts a call that has had its effect. */
  count(kind: LearningCall['kind'], seconds: number): void
  readonly folders: CheckpointFolders | undefined
  /** Ids of models whose checkpoints earlier processes have left in `folders`. */
  readonly stored: Iterable<string>
}

/** An optimizer, and whether it was not there before. */
export interface Begun {
  readonly optimizer: OptimizerAnswer
  readonly made: boolean
}

/**
 * Learning in the first thread, which the routes of all threads call: each call has its turn among the changes of its model,
 * is carried out by the trainers in their thread, and the tables that a step made are published to all threads. All errors
 * are `InletError`s for the caller.
 */
export class Learning implements TableOwner {
  readonly #tables: OwnedTables
  readonly #registry: TrainingRegistry
  readonly #checkpoints: LearningCheckpoints

  constructor(
    keeper: Pick<Keeper, 'own'>,
    private readonly trainers: Remote<TrainerPool>,
    private readonly options: LearningOptions,
  ) {
    const { folders, stored } = options
    this.#tables = keeper.own(this)
    this.#registry = new TrainingRegistry(this.#tables, trainers, folders, stored)
    this.#checkpoints = new LearningCheckpoints(this.#tables, trainers, this.#registry, folders)
  }

  get bytes(): number {
    return this.#checkpoints.bytes
  }

  has(id: string): boolean {
    return this.#registry.has(id)
  }

  refusal(id: string): InletError {
    return optimizerExists(id)
  }

  async reopen(model: RegisteredModel): Promise<boolean> {
    const { id } = model
    if (!this.#registry.isStored(id)) return false
    const { log, folders } = this.options
    const failed = ({ message: reason }: Error) =>
      log.error({ model: id, reason }, 'a model cannot go on from what it has learned')
    await this.#tables.tellLoading(model)
    const { state, layout } = await this.#read(model).catch((error) => {
      failed(error)
      throw error instanceof InletError ? error : cannotGoOn(id)
    })
    try {
      const copy = this.#tables.takeFirst(model, sumOf(state.bytes), layout)
      await this.trainers.fill(id, copy)
      const training = this.#registry.add(model, state, copy)
      this.#registry.noteCheckpoint(training)
      await training.publish(copy)
    } catch (error) {
      this.#registry.release(id)
      model.owned = undefined
      await this.trainers.end(id)
      folders?.release(id)
      failed(error as Error)
      throw withBytes(error, model, state.bytes)
    }
    const { version, progress } = state
    const { step, pending } = progress
    log.info({ model: id, version, step, pending }, 'a model goes on learning')
    return true
  }

  async forget(id: string): Promise<void> {
    if (!this.has(id)) return
    await this.options.folders?.remove(id)
    await this.trainers.end(id)
    this.#registry.delete(id)
  }

  /** The process ends: what each model has learned is on the disk then, and other processes may go on from it. */
  async close(): Promise<void> {
    const { folders, log } = this.options
    if (folders === undefined) return
    for (const { model } of this.#registry.all()) {
      const saving = this.#tables.inTurn(model.id, async () => {
        const training = await this.#registry.get(model)
        if (!isDeepStrictEqual(training.checkpoint, training.mark)) await this.#checkpoints.save(training)
      })
      await saving.catch(({ message: reason }: Error) => {
        log.error({ model: model.id, reason }, 'what a model has learned since its last checkpoint is lost')
      })
    }
    folders.releaseAll()
  }

  /**
   * Begins to learn, unless the model does so under the same optimizer.
   *
   * @throws `invalid_request` for the optimizer, `model_not_found`, `optimizer_exists`, `unsupported_combination`,
   *   `insufficient_memory`, what loading throws
   */
  begin(id: string, optimizer: Readonly<Record<string, unknown>>): Promise<Begun> {
    return this.#tables.inTurn(id, async (model) => {
      checkCard(model)
      const present = await this.#tables.present(model)
      const rows = learnablePlaces(present.tables).map(({ name, rows }) => [name, rows])
      const read = readOptimizer(optimizer, Object.fromEntries(rows))
      const known = this.#registry.find(id)
      if (known !== undefined) {
        if (isDeepStrictEqual(known.state.progress.optimizer, describeOptimizer(read)))
          return { optimizer: known.answer, made: false }
        throw optimizerExists(id, ' under another optimizer')
      }
      const job = { card: model.entry.card, present: present.tables, version: present.number }
      const { training, copy } = await this.#registry.begin(model, firstBytes(read, present.tables), (copy) =>
        this.trainers.begin({ ...job, copy }, optimizer),
      )
      training.noteUpToDate(present.tables)
      model.memories.give(copy) // for the first step
      await this.#tables.tellOwned(model, true)
      return { optimizer: training.answer, made: true }
    })
  }

  /** @throws `model_not_found`, `optimizer_not_found` */
  describe(id: string): Promise<OptimizerAnswer> {
    return this.#tables.inTurn(id, async (model) => (await this.#registry.get(model)).answer)
  }

  /** How far a model is; undefined where it does not learn. */
  async state(
    id: string,
  ): Promise<(LearningProgress & { readonly checkpoint: CheckpointMark | null }) | undefined> {
    const training = this.#registry.find(id)
    return training && { ...training.state.progress, checkpoint: training.checkpoint }
  }

  /** Ends learning; the tables stay as they are. @throws `model_not_found`, `optimizer_not_found` */
  end(id: string): Promise<void> {
    return this.#tables.inTurn(id, async (model) => {
      if (!this.has(id)) throw optimizerNotFound(id)
      const isReadable = this.#registry.find(id) !== undefined
      await this.forget(id)
      // The tables of one whose checkpoint was not read are those of its source.
      if (isReadable) await this.#tables.tellOwned(model, false)
      else await this.#tables.unload(model)
    })
  }

  /**
   * Gradients or a step, which have their effect once however often they come.
   *
   * @param ifVersions a step is refused where the present version is none of these; null: any is right
   * @throws `sequence_conflict`, `sequence_gap`, `precondition_failed`, `insufficient_memory`, and as `Learner`
   */
  call(id: string, call: LearningCall, ifVersions: readonly string[] | null): Promise<CallAnswer> {
    return this.#tables.inTurn(id, async (model) => {
      const training = await this.#registry.get(model)
      const begun = performance.now()
      const { answer, isNew } = await training.call(call, ifVersions)
      if (isNew) {
        const seconds = (performance.now() - begun) / 1000
        this.options.count(call.kind, seconds)
        const { model_version: version, step } = answer
        if (call.kind === 'step') this.options.log.debug({ model: id, version, step, seconds }, 'a step')
      }
      return answer
    })
  }

  /**
   * Writes a checkpoint below DATA_DIR.
   *
   * @throws `optimizer_not_found`, `insufficient_storage`, `unsupported_combination` without DATA_DIR
   */
  save(id: string): Promise<CheckpointMark & { readonly model: string }> {
    return this.#tables.inTurn(id, async (model) => {
      const training = await this.#registry.get(model)
      await this.#checkpoints.save(training)
      return { model: id, ...training.mark }
    })
  }

  /** A checkpoint of this moment. @throws `optimizer_not_found`, `insufficient_memory` */
  openCheckpoint(id: string): Promise<HeldFile> {
    return this.#tables.inTurn(id, (model) => this.#checkpoints.open(model))
  }

  /** Memory for a checkpoint that is on its way. @throws `model_not_found`, `insufficient_memory`, `overloaded` */
  openRestore(id: string, bytes: number): Promise<HeldFile> {
    return this.#tables.inTurn(id, (model) => this.#checkpoints.openRestore(model, bytes))
  }

  /** The model continues from the received checkpoint. @throws `invalid_request`, `shape_mismatch`, `insufficient_memory` */
  restore(id: string, held: number): Promise<Begun> {
    return this.#tables.inTurn(id, async (model) => {
      const { training, made } = await this.#checkpoints.restore(model, held)
      return { optimizer: training.answer, made }
    })
  }

  /** Frees the memory of a checkpoint. */
  async letGo(held: number): Promise<void> {
    this.#checkpoints.letGo(held)
  }

  /** Reads a model's checkpoint, in the trainers' thread. */
  async #read({ id, entry }: RegisteredModel): Promise<ReopenedModel> {
    const folders = this.options.folders!
    await folders.take(id)
    try {
      return await this.trainers.reopen(entry.card, folders.path(id))
    } catch (error) {
      folders.release(id)
      throw error
    }
  }
}

/** Bytes that a trainer takes at its beginning. */
function firstBytes({ tables, law, options, rows }: Optimizer, present: SharedTables): TrainerBytes {
  const bytes = { tables: 0, states: 0, gradients: 0 }
  for (const { name, rows: tableRows, dim } of learnablePlaces(present)) {
    if (!tables.includes(name)) continue
    const learning = name === 'wte.weight' && rows !== undefined ? rows.length : tableRows
    bytes.tables += 4 * tableRows * dim
    bytes.states += law.states(options).length * 4 * learning * dim
  }
  return bytes
}
