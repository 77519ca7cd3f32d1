import { isDeepStrictEqual } from 'node:util'
import type { SharedTables } from '../../first-layer/embeddings/table-memory.js'
import { checkLearnable } from '../../first-layer/learning/gradient-call.js'
import {
  describeOptimizer,
  type Optimizer,
  readOptimizer,
} from '../../first-layer/learning/optimizer-options.js'
import { InletError } from '../../service/answer/error-table.js'
import { noCard } from '../../service/models/errors.js'
import type { Keeper } from '../../service/models/keeper/keeper.js'
import type { OwnedTables, TableOwner } from '../../service/models/keeper/owned-tables.js'
import type { RegisteredModel } from '../../service/models/keeper/registered-models.js'
import type { Remote } from '../../service/threads/channel.js'
import { learnablePlaces } from './checkpoint-file.js'
import type { CheckpointFolders } from './checkpoint-folders.js'
import { cannotGoOn, noDataDir, noRoomToLearn, optimizerExists, optimizerNotFound } from './errors.js'
import { type HeldFile, HeldFiles } from './held-files.js'
import type {
  BeginJob,
  CallAnswer,
  CallResult,
  CheckpointMark,
  LearningCall,
  LearningProgress,
  OptimizerAnswer,
  TrainerBytes,
  TrainingState,
} from './jobs.js'
import type { TrainerPool } from './trainer-pool.js'

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

/** A model that learns, as the first thread knows it. */
interface Training {
  readonly model: RegisteredModel
  state: TrainingState
  /** The last one on the disk. */
  checkpoint: CheckpointMark | null
  /** The step that a memory with the model's tables has. */
  readonly since: WeakMap<SharedTables, number>
}

/**
 * Learning in the first thread, which the routes of all threads call: each call has its turn among the changes of its model,
 * is carried out by the trainers in their thread, and the tables that a step made are published to all threads. All errors
 * are `InletError`s for the caller.
 */
export class Learning implements TableOwner {
  readonly #tables: OwnedTables
  readonly #trainings = new Map<string, Training>()
  /** Ids of models that have a checkpoint on the disk. */
  readonly #stored: Set<string>
  readonly #files = new HeldFiles()

  constructor(
    keeper: Pick<Keeper, 'own'>,
    private readonly trainers: Remote<TrainerPool>,
    private readonly options: LearningOptions,
  ) {
    this.#tables = keeper.own(this)
    this.#stored = new Set(options.stored)
  }

  get bytes(): number {
    return this.#files.bytes
  }

  /** Whether a model learns, or will when its checkpoint has been read. */
  has(id: string): boolean {
    return this.#trainings.has(id) || this.#stored.has(id)
  }

  refusal(id: string): InletError {
    return optimizerExists(id)
  }

  async reopen(model: RegisteredModel): Promise<boolean> {
    const { id } = model
    const { folders, log } = this.options
    if (folders === undefined || !this.#stored.has(id)) return false
    await this.#tables.tellLoading(model)
    let bytes: TrainerBytes | undefined
    try {
      await folders.take(id)
      const { state, layout } = await this.trainers.reopen(model.entry.card, folders.path(id))
      bytes = state.bytes
      const copy = this.#tables.takeFirst(model, sumOf(bytes), layout)
      await this.trainers.fill(folders.path(id), copy)
      const training = this.#add(model, state)
      training.checkpoint = markOf(training)
      await this.#publish(training, copy)
      const { step, pending } = state.progress
      log.info({ model: id, version: state.version, step, pending }, 'a model goes on learning')
      return true
    } catch (error) {
      this.#trainings.delete(id)
      model.owned = undefined
      await this.trainers.end(id)
      folders.release(id)
      const { message: reason } = error as Error
      log.error({ model: id, reason }, 'a model cannot go on from what it has learned')
      if (bytes !== undefined) throw withBytes(error, model, bytes)
      throw error instanceof InletError ? error : cannotGoOn(id)
    }
  }

  async forget(id: string): Promise<void> {
    if (!this.has(id)) return
    await this.options.folders?.remove(id)
    await this.trainers.end(id)
    this.#trainings.delete(id)
    this.#stored.delete(id)
  }

  /** The process ends: what each model has learned is on the disk then, and other processes may go on from it. */
  async close(): Promise<void> {
    const { folders, log } = this.options
    if (folders === undefined) return
    for (const { model } of [...this.#trainings.values()]) {
      const saving = this.#tables.inTurn(model.id, async () => {
        const training = await this.#get(model)
        if (!isDeepStrictEqual(training.checkpoint, markOf(training))) await this.#save(training)
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
      const { tables, number } = await this.#tables.present(model)
      const rows = learnablePlaces(tables).map(({ name, rows }) => [name, rows])
      const read = readOptimizer(optimizer, Object.fromEntries(rows))
      const known = this.#trainings.get(id)
      if (known !== undefined) {
        if (isDeepStrictEqual(known.state.progress.optimizer, describeOptimizer(read)))
          return { optimizer: answerOf(known), made: false }
        throw optimizerExists(id, ' under another optimizer')
      }
      const job: BeginJob = { card: model.entry.card, present: tables, version: number }
      const training = await this.#begin(model, firstBytes(read, tables), () =>
        this.trainers.begin(job, optimizer),
      )
      training.since.set(tables, 0)
      await this.#tables.tellOwned(model, true)
      return { optimizer: answerOf(training), made: true }
    })
  }

  /** @throws `model_not_found`, `optimizer_not_found` */
  describe(id: string): Promise<OptimizerAnswer> {
    return this.#tables.inTurn(id, async (model) => answerOf(await this.#get(model)))
  }

  /** How far a model is; undefined where it does not learn. */
  async state(
    id: string,
  ): Promise<(LearningProgress & { readonly checkpoint: CheckpointMark | null }) | undefined> {
    const training = this.#trainings.get(id)
    return training && { ...training.state.progress, checkpoint: training.checkpoint }
  }

  /** Ends learning; the tables stay as they are. @throws `model_not_found`, `optimizer_not_found` */
  end(id: string): Promise<void> {
    return this.#tables.inTurn(id, async (model) => {
      if (!this.has(id)) throw optimizerNotFound(id)
      const isReadable = this.#trainings.has(id)
      await this.forget(id)
      // The tables of one whose checkpoint was not read are those of its source.
      if (isReadable) await this.#tables.tellOwned(model, false)
      else await this.#tables.unload(model)
    })
  }

  /**
   * Gradients or a step, which have their effect once however often they come. A step takes the unread tables, which readers
   * then get.
   *
   * @param ifVersions a step is refused where the present version is none of these; null: any is right
   * @throws `sequence_conflict`, `sequence_gap`, `precondition_failed`, `insufficient_memory`, and as `Learner`
   */
  call(id: string, call: LearningCall, ifVersions: readonly string[] | null): Promise<CallAnswer> {
    return this.#tables.inTurn(id, async (model) => {
      const training = await this.#get(model)
      const begun = performance.now()
      const copy = call.kind === 'step' ? await this.#tables.takeCopy(model) : undefined
      const { answer, isNew } = await this.#call(training, call, ifVersions, copy).catch((error) => {
        if (copy !== undefined) model.memories.give(copy)
        throw withBytes(error, model, training.state.bytes)
      })
      if (copy !== undefined) {
        if (isNew) await this.#publish(training, copy)
        else model.memories.give(copy)
      }
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
      const training = await this.#get(model)
      await this.#save(training)
      return { model: id, ...markOf(training) }
    })
  }

  /** A checkpoint of this moment. @throws `optimizer_not_found`, `insufficient_memory` */
  openCheckpoint(id: string): Promise<HeldFile> {
    return this.#tables.inTurn(id, async (model) => {
      const { state } = await this.#get(model)
      this.#files.checkCount()
      const { tables } = await this.#tables.present(model)
      const file = this.#hold(model, await this.trainers.checkpointBytes(id, tables, false), state.version)
      try {
        await this.trainers.readCheckpoint(id, tables, file.bytes)
        return file
      } catch (error) {
        this.#files.letGo(file.held)
        throw error
      }
    })
  }

  /** Memory for a checkpoint that is on its way. @throws `model_not_found`, `insufficient_memory`, `overloaded` */
  openRestore(id: string, bytes: number): Promise<HeldFile> {
    return this.#tables.inTurn(id, async (model) => {
      checkCard(model)
      this.#files.checkCount()
      const { number } = await this.#tables.present(model)
      return this.#hold(model, bytes, number)
    })
  }

  /** The model continues from the received checkpoint. @throws `invalid_request`, `shape_mismatch`, `insufficient_memory` */
  restore(id: string, held: number): Promise<Begun> {
    return this.#tables.inTurn(id, async (model) => {
      checkCard(model)
      const file = this.#files.get(held)
      const { tables } = await this.#tables.present(model)
      const job = { card: model.entry.card, present: tables, version: model.entry.lastVersion + 1 }
      const bytes = { tables: file.bytes.length + (model.owned ?? 0), states: 0, gradients: 0 }
      const made = !this.#trainings.has(id)
      let copy: SharedTables | undefined
      const training = await this.#begin(model, bytes, async () => {
        copy = await this.#tables.takeCopy(model)
        return this.trainers.restore(job, copy, file.bytes)
      }).catch((error) => {
        if (copy !== undefined) model.memories.give(copy)
        throw error
      })
      await this.#publish(training, copy!)
      return { optimizer: answerOf(training), made }
    })
  }

  /** Frees the memory of a checkpoint. */
  async letGo(held: number): Promise<void> {
    this.#files.letGo(held)
  }

  /** A model that learns; one that has not been asked for since the start is read now. @throws InletError `optimizer_not_found` */
  async #get(model: RegisteredModel): Promise<Training> {
    if (this.#stored.has(model.id)) await this.#tables.present(model)
    const training = this.#trainings.get(model.id)
    if (training === undefined) throw optimizerNotFound(model.id)
    return training
  }

  #add(model: RegisteredModel, state: TrainingState): Training {
    const checkpoint = this.#trainings.get(model.id)?.checkpoint ?? null
    const training = { model, state, checkpoint, since: new WeakMap<SharedTables, number>() }
    this.#trainings.set(model.id, training)
    return training
  }

  /** Makes room for a trainer, which `begin` makes, and takes the model's folder. Where that fails, all is as it was. */
  async #begin(
    model: RegisteredModel,
    bytes: TrainerBytes,
    begin: () => Promise<TrainingState>,
  ): Promise<Training> {
    const { id, owned: before } = model
    const { folders } = this.options
    const isNew = !this.#trainings.has(id)
    if (isNew) await folders?.take(id)
    try {
      this.#tables.makeRoom(model, sumOf(bytes))
      const state = await begin()
      model.owned = sumOf(state.bytes)
      return this.#add(model, state)
    } catch (error) {
      model.owned = before
      if (isNew) await folders?.remove(id)
      throw withBytes(error, model, bytes)
    }
  }

  async #call(
    training: Training,
    call: LearningCall,
    ifVersions: readonly string[] | null,
    tables: SharedTables | undefined,
  ): Promise<CallResult> {
    const { model, since } = training
    const gradientRoom = Math.max(0, this.#tables.roomLeft(model))
    const { tables: present } = await this.#tables.present(model)
    const copy = tables && { tables, since: since.get(tables) }
    const result = await this.trainers.call(model.id, call, { ifVersions, gradientRoom, present, copy })
    training.state = result.state
    this.#tables.grow(model, sumOf(result.state.bytes))
    return result
  }

  /** Every request that begins from now on reads these tables, which are up to date. */
  async #publish({ model, state, since }: Training, copy: SharedTables): Promise<void> {
    since.set(copy, state.progress.step)
    await this.#tables.publish(model, copy, state.version, 'learned')
  }

  async #save(training: Training): Promise<void> {
    const { folders } = this.options
    if (folders === undefined) throw noDataDir()
    const { id } = training.model
    const { tables } = await this.#tables.present(training.model)
    await folders.checkRoom(await this.trainers.checkpointBytes(id, tables, true))
    await this.trainers.saveCheckpoint(id, tables, folders.path(id))
    training.checkpoint = markOf(training)
    this.#stored.add(id)
  }

  #hold(model: RegisteredModel, bytes: number, version: number): HeldFile {
    this.#tables.checkRoom(model, bytes)
    return this.#files.add(bytes, version)
  }
}

/** Checks that a model's tables can learn. @throws InletError `unsupported_combination`, `model_loading`, `model_failed` */
function checkCard({ entry }: RegisteredModel): void {
  if (entry.hasNoCard) throw noCard(entry)
  checkLearnable(entry.card)
}

function answerOf({ model, state: { progress, version } }: Training): OptimizerAnswer {
  const { optimizer, step, pending, state_bytes } = progress
  return { model: model.id, model_version: String(version), ...optimizer, step, pending, state_bytes }
}

/** How far the model is, as a checkpoint of this moment says it. */
function markOf({ state: { progress, version } }: Training): CheckpointMark {
  return { step: progress.step, model_version: String(version), writers: progress.writers }
}

function sumOf({ tables, states, gradients }: TrainerBytes): number {
  return tables + states + gradients
}

/** An error about room with what the model takes to learn; any other as it is. */
function withBytes(error: unknown, model: RegisteredModel, bytes: TrainerBytes): unknown {
  if (!(error instanceof InletError) || error.code !== 'insufficient_memory') return error
  return noRoomToLearn(model.id, error.message, { ...bytes, copies: model.copyBytes })
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
