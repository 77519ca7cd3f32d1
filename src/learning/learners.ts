import { InletError } from '../errors.js'
import type { ModelCard } from '../first-layer/cards/model-card.js'
import { bytesOf, type SharedTables, type TableShape } from '../first-layer/embeddings/table-memory.js'
import { newLearner } from '../first-layer/learning/new-learner.js'
import { restoreLearner } from '../first-layer/learning/restore.js'
import { run, runBlocks } from '../first-layer/steps.js'
import { checkTables, openCheckpoint, readOthers } from './checkpoint-input.js'
import { optimizerNotFound } from './errors.js'
import type {
  BeginJob,
  CallJob,
  CallResult,
  LearnerFacts,
  ReopenedModel,
  RestoreJob,
  ServingCopy,
} from './jobs.js'
import type { JournalCall } from './journal.js'
import type { Journals } from './journals.js'
import { LearningModel } from './learning-model.js'
import { FileInMemory, learnablePlaces, tablesIn } from './snapshot.js'

/** Bytes of a checkpoint that are written at once: some milliseconds. */
const SOME_BYTES = 1 << 24

/**
 * All models that learn. Its methods work at once, to their end: it has a thread of its own (`threads/learn.ts`). The first
 * thread calls it, never twice at a time for one model (`learning.ts`).
 */
export class Learners {
  readonly #models = new Map<string, LearningModel>()
  /** Tables that do not learn, of models that readers have not got yet. */
  readonly #others = new Map<string, ReadonlyMap<string, Uint8Array>>()
  /** Checkpoints on their way. */
  readonly #files = new Map<string, FileInMemory>()

  /** @param journals absent: what is learned is in memory alone */
  constructor(private readonly journals?: Journals) {}

  /** @throws InletError `invalid_request` for the optimizer, `insufficient_memory` */
  begin({ card, optimizer, present, version, copy }: BeginJob): LearnerFacts {
    const learner = withRoom(() => newLearner(optimizer, learnablePlaces(present)))
    for (const table of learner.tables) {
      const place = present.places.find(({ name }) => name === table.place.name)!
      const { rows, dim, pointer } = table.place
      learner.memory.memory.bytes(pointer, 4 * rows * dim).set(bytesOf(present, place))
    }
    run(learner.begin())
    const model = new LearningModel(card, learner, version)
    model.bring({ tables: copy, since: undefined }, present)
    return this.#keep(model, copy)
  }

  /**
   * A learner that goes on from a checkpoint, in the place of the model's own.
   *
   * @throws InletError `invalid_request`, `insufficient_memory`; nothing has changed then
   */
  restore({ card, file, present, version, copy }: RestoreJob): LearnerFacts {
    const checkpoint = openCheckpoint(file)
    checkTables(checkpoint, present)
    const learner = withRoom(() => run(restoreLearner(checkpoint)))
    const model = new LearningModel(card, learner, version)
    model.bring({ tables: copy, since: undefined }, present)
    const learned: readonly string[] = learner.optimizer.tables
    for (const { name, place } of learnablePlaces(copy)) {
      if (learned.includes(name)) continue
      const { start } = checkpoint.header.tensors.find((tensor) => tensor.name === name)!
      checkpoint.read(start, bytesOf(copy, place))
    }
    return this.#keep(model, copy)
  }

  /**
   * A model that goes on from its journal; `fill` gives readers its tables.
   *
   * @throws Error that names what cannot be read; InletError `model_failed`, `insufficient_memory`
   */
  reopen(card: ModelCard): ReopenedModel {
    if (this.journals === undefined) throw new Error(`${card.id} has no journal.`)
    let layout: readonly TableShape[] = []
    const { state, journal, torn } = this.journals.reopen<LearningModel>(card, {
      restore: (checkpoint) => {
        const learner = withRoom(() => run(restoreLearner(checkpoint)))
        const tables = tablesIn(checkpoint.header)
        layout = tables.map(({ name, shape, dtype }) => ({ name, shape, dtype }))
        this.#others.set(card.id, readOthers(checkpoint, learner))
        return new LearningModel(card, learner, Number(checkpoint.header.metadata.model_version))
      },
      again: (model, call) => void withRoom(() => model.replay(call)),
    })
    state.journal = journal
    this.#models.set(card.id, state)
    return { facts: state.facts(), layout, torn }
  }

  /** Fills tables with those of a model that was reopened. */
  fill(id: string, copy: SharedTables): void {
    for (const [name, bytes] of this.#others.get(id) ?? []) {
      bytesOf(copy, copy.places.find((place) => place.name === name)!).set(bytes)
    }
    this.#others.delete(id)
    this.#get(id).bring({ tables: copy, since: undefined }, copy)
  }

  /** Lets a model go, whose journal stays. */
  letGo(id: string): void {
    this.#others.delete(id)
    this.#files.delete(id)
    this.#models.delete(id)
    this.journals?.close(id)
  }

  /** Lets all models go: the process ends. */
  close(): void {
    for (const id of this.#models.keys()) this.letGo(id)
  }

  /** @throws InletError as `LearningModel.call` */
  call(id: string, call: JournalCall, job: CallJob): CallResult {
    return withRoom(() => this.#get(id).call(call, job))
  }

  /** Brings tables up to date that nobody reads. @returns the learner's `now` that they have */
  bring(id: string, copy: ServingCopy, present: SharedTables): number {
    const model = this.#get(id)
    model.bring(copy, present)
    return model.now
  }

  /** Bytes of a checkpoint of this moment. */
  checkpointBytes(id: string, present: SharedTables): number {
    return this.#get(id).checkpoint(present).bytes
  }

  /** Begins to write a checkpoint of this moment: the model gets no call before `writeSome` has written all. */
  openCheckpoint(id: string, present: SharedTables, target: Uint8Array): void {
    this.#files.set(id, new FileInMemory(this.#get(id).checkpoint(present), target))
  }

  /** Writes some of it: other models' calls come in between. @returns whether all is there */
  writeSome(id: string): boolean {
    const isDone = this.#files.get(id)?.writeSome(SOME_BYTES) ?? true
    if (isDone) this.#files.delete(id)
    return isDone
  }

  /** Writes some of a checkpoint that takes a log's place: other models' calls come in between. @returns whether all is done */
  foldSome(id: string, present: SharedTables): boolean {
    return this.#models.get(id)?.foldSome(present) ?? true
  }

  end(id: string): void {
    this.journals?.remove(id)
    this.#files.delete(id)
    this.#models.delete(id)
  }

  /** @param tables those of the model */
  #keep(model: LearningModel, tables: SharedTables): LearnerFacts {
    const { card } = model
    const before = this.#models.get(card.id)?.journal
    const blocks = () => runBlocks(model.whole(tables).blocks())
    if (before === undefined) model.journal = this.journals?.begin(card, blocks())
    else {
      before.fold(blocks()) // the log of the calls before is gone with its checkpoint
      model.journal = before
    }
    this.#models.set(card.id, model)
    return model.facts()
  }

  #get(id: string): LearningModel {
    const model = this.#models.get(id)
    if (model === undefined) throw optimizerNotFound(id)
    return model
  }
}

/** Gives the error for the caller where a memory has no room for what learns. */
function withRoom<Result>(work: () => Result): Result {
  try {
    return work()
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    throw new InletError('insufficient_memory', error.message)
  }
}
