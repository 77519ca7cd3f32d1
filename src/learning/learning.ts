import { isDeepStrictEqual } from 'node:util'
import { InletError } from '../errors.js'
import type { SharedTables } from '../first-layer/embeddings/table-memory.js'
import { describeOptimizer, readOptimizer } from '../first-layer/learning/optimizer-options.js'
import { checkLearnable } from '../first-layer/learning/whole-layer.js'
import { noCard, optimizerExists, uploadGone } from '../models/errors.js'
import type { LearningTables } from '../models/keeper/learning-tables.js'
import type { RegisteredModel } from '../models/keeper/registered-models.js'
import type { Begun, CallAnswer, HeldFile, LearningAdmin, LearningState, OptimizerAnswer } from './admin.js'
import { cannotGoOn, optimizerNotFound } from './errors.js'
import { HeldFiles } from './held-files.js'
import type { CallJob, CallResult, LearnerFacts } from './jobs.js'
import type { JournalCall } from './journal.js'
import type { TornTail } from './journals.js'
import { learnerBytes, sum, withBytes } from './learner-bytes.js'
import type { RemoteLearners } from './remote-learners.js'
import { learnablePlaces } from './snapshot.js'

/** A call that has had its effect. */
export interface DoneCall {
  readonly model: string
  readonly kind: JournalCall['kind']
  readonly answer: CallAnswer
  readonly seconds: number
}

/** Told of what happens. */
export interface LearningEvents {
  /** A call has had its effect. */
  done(call: DoneCall): void
  /** A model goes on from its journal. */
  reopened(model: string, facts: LearnerFacts, torn: TornTail | undefined): void
  /** A journal cannot be read; the error names the file and the place. */
  notReopened(model: string, error: Error): void
  /** A log has not been folded into a checkpoint: it goes on. */
  notFolded(model: string, reason: string): void
}

/** A model that learns, as the first thread knows it. */
interface Learned {
  readonly model: RegisteredModel
  facts: LearnerFacts
  /** When a memory with the model's tables was last up to date. */
  readonly since: WeakMap<SharedTables, number>
}

/**
 * Learning in the first thread: each call has its turn among the changes of its model, is carried out by the learners, and
 * the tables that a step made are published to all threads.
 */
export class Learning implements LearningAdmin {
  readonly #learned = new Map<string, Learned>()
  /** Ids of models that have a journal on the disk. */
  readonly #stored: Set<string>

  /** @param stored ids of models whose journals earlier processes have left */
  constructor(
    private readonly tables: LearningTables,
    private readonly learners: RemoteLearners,
    private readonly files = new HeldFiles(),
    private readonly events: Partial<LearningEvents> = {},
    stored: Iterable<string> = [],
  ) {
    this.#stored = new Set(stored)
  }

  /**
   * Gives a model the tables that it has learned, in its turn. @returns whether it has any
   *
   * @throws InletError `model_failed`, `insufficient_memory`
   */
  async reopen(model: RegisteredModel): Promise<boolean> {
    const { id } = model
    if (!this.#stored.has(id)) return false
    await this.tables.tellLoading(model)
    const { facts, layout, torn } = await this.learners.reopen(model.entry.card).catch((error) => {
      this.events.notReopened?.(id, error as Error)
      throw error instanceof InletError ? error : cannotGoOn(id)
    })
    try {
      const copy = this.tables.takeFirst(model, sum(facts.bytes), layout)
      await this.learners.fill(id, copy)
      this.#learned.set(id, { model, facts, since: new WeakMap([[copy, facts.now]]) })
      await this.tables.publishFirst(model, copy, facts.version)
    } catch (error) {
      this.#learned.delete(id)
      model.learning = undefined
      await this.learners.letGo(id)
      this.events.notReopened?.(id, error as Error)
      throw withBytes(error, model, facts.bytes)
    }
    this.events.reopened?.(id, facts, torn)
    return true
  }

  /** The process ends: all is durable then. */
  close(): Promise<void> {
    return this.learners.close()
  }

  begin(id: string, optimizer: Readonly<Record<string, unknown>>): Promise<Begun> {
    return this.tables.inTurn(id, async (model) => {
      const { card } = model.entry
      checkCard(model)
      const present = await this.tables.present(model)
      const rows = learnablePlaces(present.tables).map(({ name, rows }) => [name, rows])
      const read = readOptimizer(optimizer, Object.fromEntries(rows))
      const known = this.#learned.get(id)
      if (known !== undefined) {
        if (!isDeepStrictEqual(known.facts.state.optimizer, describeOptimizer(read))) {
          throw optimizerExists(id, ' under another optimizer')
        }
        return { optimizer: optimizerAnswer(id, known.facts), made: false }
      }
      const facts = await this.#put(model, learnerBytes(read, present.tables), (copy) =>
        this.learners.begin({ card, optimizer, present: present.tables, version: present.number, copy }),
      )
      const { since } = this.#learned.get(id)!
      since.set(present.tables, facts.now)
      await this.tables.tellLearns(model, true)
      return { optimizer: optimizerAnswer(id, facts), made: true }
    })
  }

  async describe(id: string): Promise<OptimizerAnswer> {
    return this.tables.inTurn(id, async (model) => optimizerAnswer(id, (await this.#get(model)).facts))
  }

  async state(id: string): Promise<LearningState | undefined> {
    return this.#learned.get(id)?.facts.state
  }

  end(id: string): Promise<void> {
    return this.tables.inTurn(id, async (model) => {
      if (!this.#has(id)) throw optimizerNotFound(id)
      const isReadable = this.#learned.has(id)
      await this.forget(id)
      // The tables of one whose journal was not read are those of its source.
      if (isReadable) await this.tables.tellLearns(model, false)
      else await this.tables.unload(model)
    })
  }

  /** Ends learning of a model that is to be deleted, in its turn. */
  async forget(id: string): Promise<void> {
    if (!this.#has(id)) return
    await this.learners.end(id)
    this.#learned.delete(id)
    this.#stored.delete(id)
  }

  call(id: string, call: JournalCall, ifVersions: readonly string[] | null): Promise<CallAnswer> {
    return this.tables.inTurn(id, async (model) => {
      const learned = await this.#get(model)
      const begun = performance.now()
      const { answer, isNew, notFolded } = await (call.kind === 'step'
        ? this.#step(learned, model, call, ifVersions)
        : this.#run(learned, model, call, { ifVersions }))
      if (isNew) {
        const seconds = (performance.now() - begun) / 1000
        this.events.done?.({ model: id, kind: call.kind, answer, seconds })
      }
      if (notFolded !== undefined) this.events.notFolded?.(id, notFolded)
      return answer
    })
  }

  openCheckpoint(id: string, thread = 0): Promise<HeldFile> {
    return this.tables.inTurn(id, async (model) => {
      const { facts } = await this.#get(model)
      this.files.checkRoom()
      const { tables } = await this.tables.present(model)
      const bytes = await this.learners.checkpointBytes(id, tables)
      this.tables.checkRoom(model, bytes)
      const file = this.files.add(bytes, facts.version, thread)
      try {
        await this.learners.writeCheckpoint(id, tables, file.bytes)
        return file
      } catch (error) {
        this.files.letGo(file.held)
        throw error
      }
    })
  }

  openRestore(id: string, bytes: number, thread = 0): Promise<HeldFile> {
    return this.tables.inTurn(id, async (model) => {
      checkCard(model)
      this.files.checkRoom()
      const { number } = await this.tables.present(model)
      this.tables.checkRoom(model, bytes)
      return this.files.add(bytes, number, thread)
    })
  }

  restore(id: string, held: number): Promise<Begun> {
    return this.tables.inTurn(id, async (model) => {
      checkCard(model)
      const file = this.files.get(held)
      if (file === undefined) throw uploadGone()
      const present = await this.tables.present(model)
      const made = !this.#learned.has(id)
      const before = model.learning ?? 0
      const version = model.entry.lastVersion + 1
      const job = { card: model.entry.card, file: file.bytes, present: present.tables, version }
      let filled: SharedTables | undefined
      const bytes = { tables: file.bytes.length + before, states: 0, gradients: 0 }
      const facts = await this.#put(model, bytes, (copy) => {
        filled = copy
        return this.learners.restore({ ...job, copy })
      })
      await this.tables.publish(model, filled!)
      return { optimizer: optimizerAnswer(id, facts), made }
    })
  }

  async letGo(held: number): Promise<void> {
    this.files.letGo(held)
  }

  threadEnded(thread: number): void {
    this.files.threadEnded(thread)
  }

  /**
   * The learners' thread has ended. A model with a journal goes on from it; what others have learned stays in their
   * tables, and learning is over.
   *
   * @returns the ids of the others
   */
  learnersEnded(): readonly string[] {
    const ended = [...this.#learned.keys()]
    this.#learned.clear()
    for (const id of ended) {
      const telling = this.tables.inTurn(id, async (model) => {
        if (!this.#stored.has(id)) return this.tables.tellLearns(model, false)
        await this.tables.unload(model)
        await this.tables.present(model)
      })
      telling.catch(() => {}) // the model was deleted, or its journal cannot be read
    }
    return ended.filter((id) => !this.#stored.has(id))
  }

  /** Makes room and a copy of the tables for a learner, which `begin` makes. Where that fails, all is as it was. */
  async #put(
    model: RegisteredModel,
    bytes: LearnerFacts['bytes'],
    begin: (copy: SharedTables) => Promise<LearnerFacts>,
  ): Promise<LearnerFacts> {
    const before = model.learning
    try {
      this.#makeRoom(model, bytes)
      const copy = await this.tables.takeCopy(model)
      let facts: LearnerFacts
      try {
        facts = await begin(copy)
      } catch (error) {
        this.tables.giveCopy(model, copy)
        throw error
      }
      const since = new WeakMap([[copy, facts.now]])
      this.#learned.set(model.id, { model, facts, since })
      if (facts.stored === 'disk') this.#stored.add(model.id)
      model.learning = sum(facts.bytes)
      return facts
    } catch (error) {
      model.learning = before
      throw error
    }
  }

  async #step(
    learned: Learned,
    model: RegisteredModel,
    call: JournalCall,
    ifVersions: readonly string[] | null,
  ): Promise<CallResult> {
    const tables = await this.tables.takeCopy(model)
    let result: CallResult
    try {
      const copy = { tables, since: learned.since.get(tables) }
      result = await this.#run(learned, model, call, { ifVersions, copy })
    } catch (error) {
      this.tables.giveCopy(model, tables)
      throw error
    }
    if (result.isNew) {
      learned.since.set(tables, result.facts.now)
      await this.tables.publish(model, tables)
    } else this.tables.giveCopy(model, tables)
    return result
  }

  async #run(
    learned: Learned,
    model: RegisteredModel,
    call: JournalCall,
    job: Pick<CallJob, 'ifVersions' | 'copy'>,
  ): Promise<CallResult> {
    const gradientRoom = Math.max(0, this.tables.roomLeft(model))
    const { tables: present } = await this.tables.present(model)
    try {
      const result = await this.learners.call(model.id, call, { ...job, gradientRoom, present })
      learned.facts = result.facts
      this.tables.grow(model, sum(result.facts.bytes))
      return result
    } catch (error) {
      throw withBytes(error, model, learned.facts.bytes)
    }
  }

  #makeRoom(model: RegisteredModel, bytes: LearnerFacts['bytes']): void {
    try {
      this.tables.makeRoom(model, sum(bytes))
    } catch (error) {
      throw withBytes(error, model, bytes)
    }
  }

  #has(id: string): boolean {
    return this.#learned.has(id) || this.#stored.has(id)
  }

  /** A model that learns; one that has not been asked for since the start is read now. */
  async #get(model: RegisteredModel): Promise<Learned> {
    if (this.#stored.has(model.id)) await this.tables.present(model)
    const learned = this.#learned.get(model.id)
    if (learned === undefined) throw optimizerNotFound(model.id)
    return learned
  }
}

/** @throws InletError `unsupported_combination`, `model_loading`, `model_failed` */
function checkCard({ entry }: RegisteredModel): void {
  if (entry.hasNoCard) throw noCard(entry)
  checkLearnable(entry.card)
}

function optimizerAnswer(id: string, { state, version, stored }: LearnerFacts): OptimizerAnswer {
  const { optimizer, step, pending, state_bytes } = state
  return { model: id, model_version: String(version), ...optimizer, stored, step, pending, state_bytes }
}
