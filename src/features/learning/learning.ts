import { isDeepStrictEqual } from 'node:util'
import { describeOptimizer, readOptimizer } from '../../first-layer/learning/optimizer-options.js'
import { InletError } from '../../service/answer/error-table.js'
import type { Keeper } from '../../service/models/keeper/keeper.js'
import type { OwnedTables, TableOwner } from '../../service/models/keeper/owned-tables.js'
import type { RegisteredModel } from '../../service/models/keeper/registered-models.js'
import type { Remote } from '../../service/threads/channel.js'
import type { Begun, CallAnswer, HeldFile, LearningAdmin, LearningCall, OptimizerAnswer } from './admin.js'
import { checkCard } from './check-card.js'
import type { CheckpointFolders } from './checkpoint-folders.js'
import { cannotGoOn, optimizerExists, optimizerNotFound } from './errors.js'
import { HeldFiles } from './held-files.js'
import type { ReopenedModel } from './jobs.js'
import { LearnedCalls } from './learned-calls.js'
import { LearnedCheckpoints } from './learned-checkpoints.js'
import { LearnedCopies } from './learned-copies.js'
import { LearnedModels, markOf } from './learned-models.js'
import { learnerBytes, sum, withBytes } from './learner-bytes.js'
import type { Learners } from './learners.js'
import type { LearningEvents } from './learning-events.js'
import { optimizerAnswer } from './optimizer-answer.js'
import { learnablePlaces } from './snapshot.js'

/**
 * Learning in the first thread: each call has its turn among the changes of its model, is carried out by the learners, and
 * the tables that a step made are published to all threads.
 */
export class Learning implements LearningAdmin, TableOwner {
  private readonly tables: OwnedTables
  readonly #models: LearnedModels
  readonly #copies: LearnedCopies
  readonly #calls: LearnedCalls
  readonly #checkpoints: LearnedCheckpoints

  /** @param stored ids of models whose checkpoints earlier processes have left in `folders` */
  constructor(
    keeper: Pick<Keeper, 'own'>,
    private readonly learners: Remote<Learners>,
    private readonly files = new HeldFiles(),
    private readonly events: Partial<LearningEvents> = {},
    private readonly folders?: CheckpointFolders,
    stored: Iterable<string> = [],
  ) {
    const tables = keeper.own(this)
    this.tables = tables
    this.#models = new LearnedModels(tables, stored)
    this.#copies = new LearnedCopies(tables, learners)
    this.#calls = new LearnedCalls(tables, learners, this.#copies, events)
    this.#checkpoints = new LearnedCheckpoints(tables, learners, this.#models, this.#copies, files, folders)
  }

  get bytes(): number {
    return this.files.bytes
  }

  has(id: string): boolean {
    return this.#models.has(id)
  }

  refusal(id: string): InletError {
    return optimizerExists(id)
  }

  /**
   * Gives a model the tables that it has learned, in its turn. @returns whether it has any
   *
   * @throws InletError `model_failed`, `insufficient_memory`
   */
  async reopen(model: RegisteredModel): Promise<boolean> {
    const { id } = model
    if (!this.#models.isStored(id)) return false
    await this.tables.tellLoading(model)
    const { facts, layout } = await this.#read(model).catch((error) => {
      this.events.notReopened?.(id, error as Error)
      throw error instanceof InletError ? error : cannotGoOn(id)
    })
    try {
      const copy = this.tables.takeFirst(model, sum(facts.bytes), layout)
      await this.learners.fill(id, copy)
      const learned = this.#models.add(model, facts, copy)
      this.#models.noteCheckpoint(learned)
      await this.#copies.publish(learned, copy)
    } catch (error) {
      this.#models.letGo(id)
      model.owned = undefined
      await this.learners.end(id)
      this.folders?.release(id)
      this.events.notReopened?.(id, error as Error)
      throw withBytes(error, model, facts.bytes)
    }
    this.events.reopened?.(id, facts)
    return true
  }

  /** The process ends: what each model has learned is on the disk then, and other processes may go on from it. */
  async close(): Promise<void> {
    const { folders } = this
    if (folders === undefined) return
    for (const { model } of this.#models.all()) {
      const saving = this.tables.inTurn(model.id, async () => {
        const learned = await this.#models.get(model)
        if (!isDeepStrictEqual(learned.checkpoint, markOf(learned.facts)))
          await this.#checkpoints.save(learned)
      })
      await saving.catch((error) => this.events.notSaved?.(model.id, error as Error))
    }
    folders.releaseAll()
  }

  begin(id: string, optimizer: Readonly<Record<string, unknown>>): Promise<Begun> {
    return this.tables.inTurn(id, async (model) => {
      const { card } = model.entry
      checkCard(model)
      const present = await this.tables.present(model)
      const rows = learnablePlaces(present.tables).map(({ name, rows }) => [name, rows])
      const read = readOptimizer(optimizer, Object.fromEntries(rows))
      const known = this.#models.find(id)
      if (known !== undefined) {
        if (!isDeepStrictEqual(known.facts.state.optimizer, describeOptimizer(read))) {
          throw optimizerExists(id, ' under another optimizer')
        }
        return { optimizer: optimizerAnswer(id, known.facts), made: false }
      }
      const bytes = learnerBytes(read, present.tables)
      await this.folders?.take(id)
      const job = { card, optimizer, present: present.tables, version: present.number }
      const begun = this.#models.begin(model, bytes, (copy) => this.learners.begin({ ...job, copy }))
      const { learned, copy } = await begun.catch(async (error) => {
        await this.folders?.remove(id)
        throw error
      })
      learned.since.set(present.tables, learned.facts.now)
      model.memories.give(copy) // for the first step
      await this.tables.tellOwned(model, true)
      return { optimizer: optimizerAnswer(id, learned.facts), made: true }
    })
  }

  describe(id: string): Promise<OptimizerAnswer> {
    return this.tables.inTurn(id, async (model) => optimizerAnswer(id, (await this.#models.get(model)).facts))
  }

  async state(id: string) {
    const learned = this.#models.find(id)
    return learned && { ...learned.facts.state, checkpoint: learned.checkpoint }
  }

  end(id: string): Promise<void> {
    return this.tables.inTurn(id, async (model) => {
      if (!this.#models.has(id)) throw optimizerNotFound(id)
      const isReadable = this.#models.find(id) !== undefined
      await this.forget(id)
      // The tables of one whose checkpoint was not read are those of its source.
      if (isReadable) await this.tables.tellOwned(model, false)
      else await this.tables.unload(model)
    })
  }

  /** Ends learning of a model that is to be deleted, in its turn. */
  async forget(id: string): Promise<void> {
    if (!this.#models.has(id)) return
    await this.folders?.remove(id)
    await this.learners.end(id)
    this.#models.delete(id)
  }

  call(id: string, call: LearningCall, ifVersions: readonly string[] | null): Promise<CallAnswer> {
    return this.tables.inTurn(id, async (model) =>
      this.#calls.call(await this.#models.get(model), call, ifVersions),
    )
  }

  save(id: string) {
    return this.tables.inTurn(id, async (model) => {
      return { model: id, ...(await this.#checkpoints.save(await this.#models.get(model))) }
    })
  }

  openCheckpoint(id: string): Promise<HeldFile> {
    return this.tables.inTurn(id, (model) => this.#checkpoints.open(model))
  }

  openRestore(id: string, bytes: number): Promise<HeldFile> {
    return this.tables.inTurn(id, (model) => this.#checkpoints.openRestore(model, bytes))
  }

  restore(id: string, held: number): Promise<Begun> {
    return this.tables.inTurn(id, (model) => this.#checkpoints.restore(model, held))
  }

  async letGo(held: number): Promise<void> {
    this.files.letGo(held)
  }

  /** Reads a model's checkpoint, in the learners' thread. */
  async #read({ id, entry }: RegisteredModel): Promise<ReopenedModel> {
    const folders = this.folders!
    await folders.take(id)
    try {
      return await this.learners.reopen(entry.card, folders.path(id))
    } catch (error) {
      folders.release(id)
      throw error
    }
  }
}
