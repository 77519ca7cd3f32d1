import { InletError, quoted, shownShape } from '../errors.js'
import { bytesOf, type SharedTables } from '../first-layer/embeddings/table-memory.js'
import { newLearner } from '../first-layer/learning/new-learner.js'
import { type CheckpointFile, restoreLearner } from '../first-layer/learning/restore.js'
import { run, runBlocks } from '../first-layer/steps.js'
import {
  headerLength,
  LENGTH_BYTES,
  parseHeader,
  SafetensorsError,
} from '../first-layer/tensors/safetensors/header.js'
import { optimizerNotFound } from './errors.js'
import type { BeginJob, CallJob, CallResult, LearnerFacts, RestoreJob } from './jobs.js'
import type { JournalCall } from './journal.js'
import type { Journals } from './journals.js'
import { LearningModel } from './learning-model.js'
import { learnablePlaces, writeFile } from './snapshot.js'

/**
 * All models that learn. Its methods work at once, to their end: it has a thread of its own (`threads/learn.ts`). The first
 * thread calls it, never twice at a time for one model (`learning.ts`).
 */
export class Learners {
  readonly #models = new Map<string, LearningModel>()

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

  /** @throws InletError as `LearningModel.call` */
  call(id: string, call: JournalCall, job: CallJob): CallResult {
    return withRoom(() => this.#get(id).call(call, job))
  }

  /** Bytes of a checkpoint of this moment. */
  checkpointBytes(id: string, present: SharedTables): number {
    return this.#get(id).checkpoint(present).bytes
  }

  /** Writes a checkpoint of this moment. */
  writeCheckpoint(id: string, present: SharedTables, target: Uint8Array): void {
    writeFile(this.#get(id).checkpoint(present), target)
  }

  end(id: string): void {
    this.#models.get(id)?.close()
    this.#models.delete(id)
    this.journals?.remove(id)
  }

  /** @param tables those of the model */
  #keep(model: LearningModel, tables: SharedTables): LearnerFacts {
    const { card } = model
    const before = this.#models.get(card.id)?.journal
    const blocks = () => runBlocks(model.checkpoint(tables).blocks())
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

/** A file's header, and its data. */
function openCheckpoint(file: Uint8Array): CheckpointFile {
  try {
    const start = LENGTH_BYTES + headerLength(file)
    return {
      header: parseHeader(file.slice(LENGTH_BYTES, start), file.length - start),
      read(from, out) {
        out.set(file.subarray(start + from, start + from + out.length))
      },
    }
  } catch (error) {
    if (!(error instanceof SafetensorsError)) throw error
    throw new InletError('invalid_request', `The body must be a safetensors file. ${error.message}`)
  }
}

/** @throws InletError `invalid_request` for a checkpoint of another model's sizes */
function checkTables({ header }: CheckpointFile, present: SharedTables): void {
  for (const { name, rows, dim } of learnablePlaces(present)) {
    const tensor = header.tensors.find((each) => each.name === name)
    if (tensor?.dtype === 'F32' && tensor.shape.join() === [rows, dim].join()) continue
    const given = tensor === undefined ? 'nothing' : `${tensor.dtype} ${shownShape(tensor.shape)}`
    const message = `${quoted(name)} must be F32 ${shownShape([rows, dim])}, as the model’s. Given: ${given}`
    throw new InletError('invalid_request', message, name)
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
