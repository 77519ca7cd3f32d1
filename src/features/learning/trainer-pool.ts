import type { ModelCard } from '../../first-layer/cards/model-card.js'
import { bytesOf, type SharedTables } from '../../first-layer/embeddings/table-memory.js'
import { newLearner, restoreLearner } from '../../first-layer/learning/new-learner.js'
import { run } from '../../first-layer/steps.js'
import { InletError } from '../../service/answer/error-table.js'
import {
  checkTables,
  FileParts,
  learnablePlaces,
  openCheckpoint,
  readOthers,
  tablesIn,
  withCheckpointFile,
} from './checkpoint-file.js'
import { optimizerNotFound } from './errors.js'
import type {
  BeginJob,
  CallJob,
  CallResult,
  LearningCall,
  ReopenedModel,
  ServingCopy,
  TrainingState,
} from './jobs.js'
import { checkSameModel } from './stored-card.js'
import { Trainer } from './trainer.js'

/**
 * The trainers of all models that learn. Its methods work at once, to their end: it runs in a separate thread (`learn.ts`).
 * The first thread calls it, never twice at a time for one model (`learning.ts`).
 */
export class TrainerPool {
  readonly #trainers = new Map<string, Trainer>()
  /** Tables that do not learn, of models that readers have not got yet. */
  readonly #others = new Map<string, ReadonlyMap<string, Uint8Array>>()
  /** Checkpoints on their way. */
  readonly #files = new Map<string, FileParts>()

  /** @throws InletError `invalid_request` for the optimizer, `insufficient_memory` */
  begin(
    { card, present, version, copy }: BeginJob,
    optimizer: Readonly<Record<string, unknown>>,
  ): TrainingState {
    const learner = withRoom(() => newLearner(optimizer, learnablePlaces(present)))
    for (const table of learner.tables) {
      const place = present.places.find(({ name }) => name === table.place.name)!
      const { rows, dim, pointer } = table.place
      learner.memory.memory.bytes(pointer, 4 * rows * dim).set(bytesOf(present, place))
    }
    run(learner.begin())
    const trainer = new Trainer(card, learner, version)
    trainer.bring({ tables: copy, since: undefined }, present)
    return this.#keep(trainer)
  }

  /**
   * A trainer that continues from a checkpoint and replaces the model's present one.
   *
   * @throws InletError `invalid_request`, `insufficient_memory`; nothing has changed then
   */
  restore({ card, present, version, copy }: BeginJob, file: Uint8Array): TrainingState {
    const checkpoint = openCheckpoint(file)
    checkTables(checkpoint, present)
    const learner = withRoom(() => run(restoreLearner(checkpoint)))
    const trainer = new Trainer(card, learner, version)
    trainer.bring({ tables: copy, since: undefined }, present)
    const learned: readonly string[] = learner.optimizer.tables
    for (const { name, place } of learnablePlaces(copy)) {
      if (learned.includes(name)) continue
      const { start } = checkpoint.header.tensors.find((tensor) => tensor.name === name)!
      checkpoint.read(start, bytesOf(copy, place))
    }
    return this.#keep(trainer)
  }

  /**
   * A model that continues from its checkpoint on the disk; `fill` gives readers its tables.
   *
   * @throws Error that names what cannot be read; InletError `insufficient_memory`
   */
  reopen(card: ModelCard, path: string): ReopenedModel {
    return withCheckpointFile(path, (checkpoint) => {
      const { metadata } = checkpoint.header
      checkSameModel(path, JSON.parse(metadata.card ?? 'null'), card)
      const learner = withRoom(() => run(restoreLearner(checkpoint)))
      this.#others.set(card.id, readOthers(checkpoint, learner))
      const state = this.#keep(new Trainer(card, learner, Number(metadata.model_version)))
      const layout = tablesIn(checkpoint.header).map(({ name, shape, dtype }) => ({ name, shape, dtype }))
      return { state, layout }
    })
  }

  /** Fills tables with those of a model that was reopened. */
  fill(id: string, copy: SharedTables): void {
    for (const [name, bytes] of this.#others.get(id) ?? []) {
      bytesOf(copy, copy.places.find((place) => place.name === name)!).set(bytes)
    }
    this.#others.delete(id)
    this.#get(id).bring({ tables: copy, since: undefined }, copy)
  }

  /** @throws InletError as `Trainer.call` */
  call(id: string, call: LearningCall, job: CallJob): CallResult {
    return withRoom(() => this.#get(id).call(call, job))
  }

  /** Brings unread tables up to date. @returns the trainer's `now` that they have */
  bring(id: string, copy: ServingCopy, present: SharedTables): number {
    const trainer = this.#get(id)
    trainer.bring(copy, present)
    return trainer.now
  }

  /**
   * Begins a checkpoint of this moment: the model gets no call before `readCheckpoint` has given all of it.
   *
   * @param isWhole whether it has all of the model: its card, and the tables that cannot learn
   * @returns its bytes
   */
  openCheckpoint(id: string, present: SharedTables, isWhole: boolean): number {
    const file = this.#get(id).checkpoint(present, isWhole)
    this.#files.set(id, new FileParts(file))
    return file.bytes
  }

  /** Fills memory with the next bytes of it: other models' calls run in between. @returns how many there were; 0: no more */
  readCheckpoint(id: string, target: Uint8Array): number {
    const bytes = this.#files.get(id)?.fill(target) ?? 0
    if (bytes < target.length) this.#files.delete(id)
    return bytes
  }

  /** Lets a model go. */
  end(id: string): void {
    this.#others.delete(id)
    this.#files.delete(id)
    this.#trainers.delete(id)
  }

  #keep(trainer: Trainer): TrainingState {
    this.#trainers.set(trainer.card.id, trainer)
    return trainer.state()
  }

  #get(id: string): Trainer {
    const trainer = this.#trainers.get(id)
    if (trainer === undefined) throw optimizerNotFound(id)
    return trainer
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
