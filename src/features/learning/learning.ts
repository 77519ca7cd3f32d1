import { isDeepStrictEqual } from 'node:util'
import { namedArchitecture } from '../../first-layer/embeddings/architectures/registry.js'
import { bytesOfAll, type SharedTables } from '../../first-layer/embeddings/table-memory.js'
import { describeOptimizer, readOptimizer } from '../../first-layer/learning/optimizer-options.js'
import { firstBytes, type LearnerState, learnablePlaces } from '../../first-layer/learning/table-learner.js'
import { loaded, type ModelVersion, withoutTables } from '../../models/entry.js'
import { InletError, shown } from '../../service/answer/error-table.js'
import { preconditionFailed } from '../../service/models/errors.js'
import type { RegisteredModel } from '../../service/models/keeper/registered-model.js'
import type { Registry, TableOwner } from '../../service/models/keeper/registry.js'
import type { Remote } from '../../service/process/channel.js'
import type { CheckpointFolders } from './checkpoint-folders.js'
import { LearningError, optimizerExists, optimizerNotFound } from './errors.js'
import type { TrainerPool } from './trainer-pool.js'

/** The process's parts for learning. */
export interface LearningOptions {
  readonly log: Record<'debug' | 'info' | 'error', (facts: object, message: string) => void>
  /** Counts a call that has had its effect. */
  count(kind: LearningCall['kind'], seconds: number): void
  /** Absent without DATA_DIR. */
  readonly folders?: CheckpointFolders | undefined
}

/** The answer to gradients or a step. */
export interface CallAnswer {
  readonly model: string
  readonly model_version: string
  readonly [field: string]: unknown
}

/** Gradients or a step. */
export interface LearningCall {
  readonly kind: 'gradients' | 'step'
  /** Value of `Idempotency-Key`; undefined: each call has its effect. */
  readonly key: string | undefined
  /** Versions one of which the tables must have; null: any. */
  readonly ifVersions: readonly string[] | null
  /** The query of gradients (`position_offset`), the options of a step. */
  readonly options: Readonly<Record<string, unknown>>
  /** The body of gradients, safetensors as it came, and its SHA-256 in hex. */
  readonly body?: Uint8Array
  readonly sha256?: string
}

/** An optimizer, its options among its fields, and whether it was not there before. */
export interface Begun {
  readonly optimizer: CallAnswer
  readonly made: boolean
}

/** Most answers that are remembered between two steps. */
const MOST_KEYS = 100_000

/** A model that learns, as the first thread knows it. */
interface Training {
  readonly model: RegisteredModel
  state: LearnerState
  /** Of the tables as the last step left them. */
  version: number
  /** The next version is at least this. */
  readonly leastNext: number
  /** How far the model was at its last checkpoint on the disk. */
  checkpoint: { readonly step: number; readonly model_version: string } | null
  /** Whether the disk has all of it. */
  isSaved: boolean
  /** The step that a memory with the model's tables has. */
  readonly since: WeakMap<SharedTables, number>
  /** The answers to calls with a key since the last step, and to that step. */
  readonly answers: Map<string, { readonly content: string; readonly answer: CallAnswer }>
}

/**
 * Learning in the first thread, which the routes of all threads call: each call has its turn among the changes of its model,
 * is carried out by the trainers in their thread, and the tables that a step made are published to all threads. All errors
 * are `InletError`s for the caller.
 */
export class Learning implements TableOwner {
  readonly #trainings = new Map<string, Training>()

  constructor(
    private readonly models: Registry,
    private readonly trainers: Remote<TrainerPool>,
    private readonly options: LearningOptions,
  ) {
    models.owner = this
  }

  /** Whether a model learns, or will when its checkpoint has been read. */
  has(id: string): boolean {
    return this.#trainings.has(id) || this.options.folders?.has(id) === true
  }

  refusal(id: string): InletError {
    return optimizerExists(id)
  }

  async reopen(model: RegisteredModel): Promise<boolean> {
    const { id, entry } = model
    const { folders, log } = this.options
    if (!folders?.has(id)) return false
    if (entry.version === undefined)
      await this.models.tell(model, { ...withoutTables(entry), state: 'loading' })
    let bytes = 0
    try {
      await folders.take(id)
      const stored = folders.read(entry.card)
      bytes = stored.bytes
      this.models.makeRoom(bytes + 2 * bytesOfAll(stored.layout), id)
      const copy = model.take(stored.layout)
      model.owned = bytes
      const state = await this.trainers.restore(id, folders.path(id), copy)
      // The process before may have given numbers after the stored one to other tables: they must not come again.
      const version = Math.max(stored.version, entry.lastVersion + 1)
      const training = this.#add(model, state, version, Date.now())
      const { step, pending } = state.progress
      const checkpoint = { step, model_version: String(stored.version) }
      await this.#publish(Object.assign(training, { checkpoint, isSaved: true }), copy)
      log.info({ model: id, version, step, pending }, 'training resumed')
      return true
    } catch (error) {
      this.#trainings.delete(id)
      model.owned = undefined
      await this.trainers.end(id)
      folders.release(id)
      log.error({ model: id, reason: (error as Error).message }, 'training cannot be resumed')
      if (error instanceof InletError) throw withBytes(error, model, { checkpoint: bytes })
      const message = `\`model\` ${shown(id)} cannot go on from what it has learned: its checkpoint cannot be read. The service’s log says why.`
      throw new InletError('model_failed', message, 'model')
    }
  }

  async forget(id: string): Promise<void> {
    if (!this.has(id)) return
    await this.options.folders?.remove(id)
    await this.trainers.end(id)
    this.#trainings.delete(id)
  }

  /** The process ends: the disk has all of each model then, or the exit code is 1. Other processes may go on from it. */
  async close(): Promise<void> {
    const { folders, log } = this.options
    if (folders === undefined) return
    const unsaved = [...this.#trainings.values()].filter(({ isSaved }) => !isSaved)
    if (unsaved.length > 0) process.exitCode = 1
    let lost = 0
    for (const { model } of unsaved) {
      await this.save(model.id).catch(({ message: reason }: Error) => {
        lost++
        log.error({ model: model.id, reason }, 'what a model has learned since its last checkpoint is lost')
      })
    }
    if (unsaved.length > 0 && lost === 0) process.exitCode = 0
    for (const id of this.#trainings.keys()) folders.release(id)
  }

  /**
   * Attaches an optimizer; nothing happens if the same one is attached.
   *
   * @throws `invalid_request` for the optimizer, `model_not_found`, `optimizer_exists`, `unsupported_combination`,
   *   `insufficient_memory`, what loading throws
   */
  begin(id: string, optimizer: Readonly<Record<string, unknown>>): Promise<Begun> {
    return this.#owning(id, async (model, { tables, number }) => {
      const rows = learnablePlaces(tables).map(({ name, rows }) => [name, rows])
      const read = readOptimizer(optimizer, Object.fromEntries(rows))
      const known = this.#trainings.get(id)
      if (known !== undefined) {
        if (isDeepStrictEqual(known.state.progress.optimizer, describeOptimizer(read)))
          return { optimizer: answerOf(known), made: false }
        throw optimizerExists(id, ' under another optimizer')
      }
      const training = await this.#attach(model, number, firstBytes(read, tables), () =>
        this.trainers.begin(id, tables, optimizer),
      )
      training.since.set(tables, 0)
      await this.models.tell(model, model.entry)
      return { optimizer: answerOf(training), made: true }
    })
  }

  /** @throws `model_not_found`, `optimizer_not_found` */
  describe(id: string): Promise<CallAnswer> {
    return this.models.inTurn(id, async (model) => answerOf(await this.#get(model)))
  }

  /** How far a model is; undefined where it does not learn. */
  async state(id: string): Promise<object | undefined> {
    const training = this.#trainings.get(id)
    return training && { ...training.state.progress, checkpoint: training.checkpoint }
  }

  /** Ends learning; the tables stay as they are. @throws `model_not_found`, `optimizer_not_found` */
  end(id: string): Promise<void> {
    return this.models.inTurn(id, async (model) => {
      if (!this.has(id)) throw optimizerNotFound(id)
      await this.forget(id)
      // Without tables its checkpoint could not be read: those of its source are made when they are asked for.
      model.owned = undefined
      if (model.entry.version === undefined) await this.models.free(model)
      else await this.models.tell(model, model.entry)
      model.spare = undefined
    })
  }

  /**
   * Gradients or a step, which have their effect once however often they come under one key. A step takes the unread tables,
   * which readers then get.
   *
   * @throws `idempotency_key_reused`, `precondition_failed`, `insufficient_memory`, and as `Learner`
   */
  call(id: string, call: LearningCall): Promise<CallAnswer> {
    return this.models.inTurn(id, async (model) => {
      const training = await this.#get(model)
      const { kind, key, ifVersions, options, sha256 } = call
      const content = JSON.stringify([kind, options, sha256])
      const known = key === undefined ? undefined : training.answers.get(key)
      if (known?.content === content) return known.answer
      if (known !== undefined) {
        const message = `\`Idempotency-Key\` must be another one: it came with other content since the last step. Given: ${shown(key)}`
        throw new LearningError('idempotency_key_reused', message, 'idempotency-key')
      }
      if (ifVersions !== null && !ifVersions.includes(String(training.version)))
        throw preconditionFailed(id, ifVersions.map((each) => `"${each}"`).join(', '), training.version)
      if (kind === 'gradients' && key !== undefined && training.answers.size >= MOST_KEYS) {
        const message = `\`Idempotency-Key\` must be of at most ${MOST_KEYS} between two steps. Given: one more`
        throw new InletError('insufficient_memory', message, 'idempotency-key')
      }
      const begun = performance.now()
      const copy = kind === 'step' ? await this.models.takeCopy(model) : undefined
      const { layer, architecture: name } = model.entry.card
      const architecture = layer ?? namedArchitecture(name)
      const room = Math.max(0, this.models.roomLeft(model))
      const carriedOut =
        copy === undefined
          ? this.trainers.gradients({ id, architecture }, call.body!, options, room)
          : this.trainers.step(id, options, tablesOf(model), copy, training.since.get(copy))
      const { answer: done, state } = await carriedOut.catch((error) => {
        if (copy !== undefined) model.give(copy)
        throw withBytes(error, model, training.state.bytes)
      })
      Object.assign(training, { state, isSaved: false })
      if (copy !== undefined) training.version = Math.max(training.version + 1, training.leastNext)
      const answer = { model: id, model_version: String(training.version), ...done }
      if (kind === 'step') training.answers.clear()
      if (key !== undefined) training.answers.set(key, { content, answer })
      model.owned = sumOf(state.bytes)
      // Where another model has taken the room since, the next change is refused.
      if (this.models.roomLeft(model) >= 0) this.models.makeRoom(model.allBytes, id)
      if (copy !== undefined) await this.#publish(training, copy)
      const seconds = (performance.now() - begun) / 1000
      this.options.count(kind, seconds)
      this.options.log.debug({ model: id, version: training.version, seconds }, kind)
      return answer
    })
  }

  /**
   * Writes a checkpoint below DATA_DIR.
   *
   * @throws `optimizer_not_found`, `insufficient_storage`, `unsupported_combination` without DATA_DIR
   */
  save(id: string) {
    return this.models.inTurn(id, async (model) => {
      const training = await this.#get(model)
      const { folders } = this.options
      if (folders === undefined) {
        const message = 'DATA_DIR must be set for checkpoints on the disk. Without it, GET one and keep it.'
        throw new InletError('unsupported_combination', message)
      }
      const { version, state } = training
      folders.checkTaken(id)
      await this.trainers.save(model.entry.card, tablesOf(model), version, folders.path(id), folders.quota)
      const mark = { step: state.progress.step, model_version: String(version) }
      Object.assign(training, { checkpoint: mark, isSaved: true })
      return { model: id, ...mark }
    })
  }

  /** A checkpoint of this moment in shared memory. @throws `optimizer_not_found`, `insufficient_memory` */
  checkpoint(id: string) {
    return this.models.inTurn(id, async (model) => {
      const { version } = await this.#get(model)
      return { file: await this.trainers.checkpoint(id, tablesOf(model), version), version }
    })
  }

  /**
   * The model continues from a checkpoint that a caller has put. Where this fails, memory and disk are as they were.
   *
   * @throws `invalid_request`, `insufficient_memory`, and as {@link begin}
   */
  restore(id: string, file: Uint8Array): Promise<Begun> {
    return this.#owning(id, async (model, { tables }) => {
      const made = !this.#trainings.has(id)
      const version = model.entry.lastVersion + 1
      const bytes = { checkpoint: file.length, present: model.owned ?? 0 }
      let copy: SharedTables
      const training = await this.#attach(model, version, bytes, async () => {
        copy = await this.models.takeCopy(model)
        return this.trainers.restore(id, file, copy, tables).catch((error) => {
          model.give(copy)
          throw error
        })
      })
      await this.#publish(training, copy!)
      return { optimizer: answerOf(training), made }
    })
  }

  /**
   * Runs `work` for a model whose folder this process has; what another process has left there is resumed first. The folder is
   * let go where the model does not learn afterwards.
   */
  #owning<Result>(
    id: string,
    work: (model: RegisteredModel, present: ModelVersion) => Promise<Result>,
  ): Promise<Result> {
    return this.models.inTurn(id, async (model) => {
      const { folders } = this.options
      await folders?.take(id)
      try {
        await this.#resume(model)
        return await work(model, model.entry.version!)
      } finally {
        if (!this.#trainings.has(id)) folders?.release(id)
      }
    })
  }

  /** Loads a model, and resumes what another process has left on the disk. */
  async #resume(model: RegisteredModel): Promise<void> {
    await this.models.loadNow(model)
    if (!this.#trainings.has(model.id)) await this.reopen(model)
  }

  /** A model that learns; what another process has left on the disk is resumed now. @throws InletError `optimizer_not_found` */
  async #get(model: RegisteredModel): Promise<Training> {
    if (!this.#trainings.has(model.id) && this.has(model.id)) await this.#resume(model)
    const training = this.#trainings.get(model.id)
    if (training === undefined) throw optimizerNotFound(model.id)
    return training
  }

  #add(model: RegisteredModel, state: LearnerState, version: number, least = 0): Training {
    const { checkpoint = null, leastNext = least } = this.#trainings.get(model.id) ?? {}
    const since = new WeakMap<SharedTables, number>()
    const training = {
      ...{ model, state, version, leastNext, checkpoint, since },
      ...{ isSaved: false, answers: new Map() },
    }
    this.#trainings.set(model.id, training)
    model.owned = sumOf(state.bytes)
    return training
  }

  /** Makes room for a trainer, which `begin` makes. Where that fails, all is as it was. */
  async #attach(
    model: RegisteredModel,
    version: number,
    bytes: Readonly<Record<string, number>>,
    begin: () => Promise<LearnerState>,
  ): Promise<Training> {
    const { owned: before } = model
    try {
      model.owned = sumOf(bytes)
      this.models.makeRoom(model.allBytes, model.id)
      return this.#add(model, await begin(), version)
    } catch (error) {
      model.owned = before
      throw withBytes(error, model, bytes)
    }
  }

  /** Every request that begins from now on reads these tables, which are up to date. */
  async #publish({ model, version, state, since }: Training, copy: SharedTables): Promise<void> {
    since.set(copy, state.progress.step)
    model.exchanged = true
    const before = { ...model.entry, lastVersion: version - 1 }
    await this.models.tell(model, loaded(before, copy, { madeBy: 'learned' }))
  }
}

/** The tables that readers of a model have, which learns. */
function tablesOf({ entry }: RegisteredModel): SharedTables {
  return entry.version!.tables
}

function answerOf({ model, state, version }: Training): CallAnswer {
  const { optimizer, ...more } = state.progress
  return { model: model.id, model_version: String(version), ...optimizer, ...more }
}

function sumOf(bytes: object): number {
  return Object.values(bytes).reduce((sum: number, each: number) => sum + each, 0)
}

/** An error about room with what the model takes to learn; any other as it is. */
function withBytes(error: unknown, model: RegisteredModel, bytes: object): unknown {
  if (!(error instanceof InletError) || error.code !== 'insufficient_memory') return error
  // `copies` are those that readers get after the next step.
  const parts = Object.entries({ ...bytes, copies: model.copyBytes }).map(([name, each]) => `${name} ${each}`)
  const message = `${error.message} Bytes that ${shown(model.id)} takes to learn: ${parts.join(', ')}.`
  return new InletError('insufficient_memory', message, 'model')
}
