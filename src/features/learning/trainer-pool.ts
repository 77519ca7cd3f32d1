import { writeWhole } from '../../files/aside.js'
import { storageRefusal } from '../../files/quota.js'
import type { ModelCard } from '../../first-layer/cards/model-card.js'
import { namedArchitecture } from '../../first-layer/embeddings/architectures/registry.js'
import { bytesOf, type SharedTables, type TablePlace } from '../../first-layer/embeddings/table-memory.js'
import { restoreLearner } from '../../first-layer/learning/checkpoint.js'
import { checkEmbeddingGradients, type LearnableName } from '../../first-layer/learning/gradient-call.js'
import { Learner } from '../../first-layer/learning/learner.js'
import { runBlocks } from '../../first-layer/steps.js'
import { InletError, shown } from '../../service/answer/error-table.js'
import { preconditionFailed } from '../../service/models/errors.js'
import {
  learnablePlaces,
  modelCheckpoint,
  readTable,
  receivedCheckpoint,
  tablesIn,
  withCheckpointFile,
} from './checkpoint-file.js'
import { optimizerNotFound } from './errors.js'
import { type GradientOptions, gradientCall } from './gradient-body.js'
import type {
  BeginJob,
  CallAnswer,
  CallJob,
  CallResult,
  LearningCall,
  ReopenedModel,
  ServingCopy,
  TrainingState,
} from './jobs.js'
import { checkSameModel } from './stored-card.js'

/** Most writers of a model: the answers to the last calls of each are kept. */
const MAX_WRITERS = 128

/** One model that learns. */
interface Trainer {
  readonly card: ModelCard
  readonly learner: Learner
  /** Of the learner's tables. */
  version: number
}

/**
 * All models that learn, in a separate thread (`learn.ts`). The first thread calls the methods, never twice at a time for one
 * model (`learning.ts`).
 */
export class TrainerPool {
  readonly #trainers = new Map<string, Trainer>()

  /** @throws InletError `invalid_request` for the optimizer, `insufficient_memory` */
  begin({ card, present, version }: BeginJob, optimizer: Readonly<Record<string, unknown>>): TrainingState {
    const learner = withRoom(() => new Learner(optimizer, learnablePlaces(present)))
    for (const { name, place } of learnablePlaces(present))
      learner.table(name)?.numbers.set(numbersOf(present, place))
    return this.#keep({ card, learner, version })
  }

  /**
   * Lets a model continue from a checkpoint, in place of where it is.
   *
   * @param copy gets the tables
   * @throws InletError `invalid_request`, `insufficient_memory`; nothing has changed then
   */
  restore({ card, present, version }: BeginJob, copy: SharedTables, file: Uint8Array): TrainingState {
    const checkpoint = receivedCheckpoint(file, present)
    const trainer = { card, version, learner: withRoom(() => restoreLearner(checkpoint)) }
    bring(trainer, { tables: copy, since: undefined }, present)
    for (const { place } of learnablePlaces(copy)) readTable(checkpoint, copy, place)
    return this.#keep(trainer)
  }

  /**
   * Lets a model continue from its checkpoint on the disk; `fill` gives readers its tables.
   *
   * @throws Error that names what cannot be read; InletError `insufficient_memory`
   */
  reopen(card: ModelCard, path: string): ReopenedModel {
    return withCheckpointFile(path, (checkpoint) => {
      const { metadata } = checkpoint.header
      checkSameModel(path, JSON.parse(metadata.card ?? 'null'), card)
      const learner = withRoom(() => restoreLearner(checkpoint))
      const state = this.#keep({ card, learner, version: Number(metadata.model_version) })
      return { state, layout: tablesIn(checkpoint.header) }
    })
  }

  /** Fills tables with those of a checkpoint on the disk. */
  fill(path: string, copy: SharedTables): void {
    withCheckpointFile(path, (checkpoint) => {
      for (const place of copy.places) readTable(checkpoint, copy, place)
    })
  }

  /** Gradients or a step, once. @throws InletError; nothing has happened then */
  call(id: string, call: LearningCall, { ifVersions, gradientRoom, present, copy }: CallJob): CallResult {
    const trainer = this.#get(id)
    const { learner, version } = trainer
    const answered = learner.writers.answered(call)
    if (answered !== undefined)
      return { answer: answered.answer as CallAnswer, isNew: false, state: stateOf(trainer) }
    checkWriter(learner, call.writer)
    if (ifVersions !== null && !ifVersions.includes(String(version)))
      throw preconditionFailed(id, ifVersions.map((each) => `"${each}"`).join(', '), version)
    learner.gradientLimit = learner.gradientBytes + gradientRoom
    const done = withRoom(() => (call.kind === 'step' ? step(trainer, call) : addGradients(trainer, call)))
    const answer = { model: id, model_version: String(trainer.version), ...done }
    learner.writers.note(call, answer)
    if (copy !== undefined) bring(trainer, copy, present)
    return { answer, isNew: true, state: stateOf(trainer) }
  }

  /** Bytes of a checkpoint. @param isWhole whether it has all of the model: its card, and the tables that cannot learn */
  checkpointBytes(id: string, present: SharedTables, isWhole: boolean): number {
    return this.#checkpoint(id, present, isWhole).bytes
  }

  /** Writes a checkpoint to memory that has room for it. */
  readCheckpoint(id: string, present: SharedTables, target: Uint8Array): void {
    let at = 0
    for (const block of runBlocks(this.#checkpoint(id, present, false).blocks())) {
      target.set(block, at)
      at += block.length
    }
  }

  /** Writes a whole checkpoint in the place of the one before. @throws InletError `insufficient_storage`: that one stays then */
  async saveCheckpoint(id: string, present: SharedTables, path: string): Promise<void> {
    const { bytes, blocks } = this.#checkpoint(id, present, true)
    try {
      await writeWhole(path, runBlocks(blocks()))
    } catch (error) {
      throw storageRefusal(error, bytes)
    }
  }

  /** Lets a model go. */
  end(id: string): void {
    this.#trainers.delete(id)
  }

  #checkpoint(id: string, present: SharedTables, isWhole: boolean) {
    const { learner, version, card } = this.#get(id)
    return modelCheckpoint(learner, present, version, isWhole ? card : undefined)
  }

  #keep(trainer: Trainer): TrainingState {
    this.#trainers.set(trainer.card.id, trainer)
    return stateOf(trainer)
  }

  #get(id: string): Trainer {
    const trainer = this.#trainers.get(id)
    if (trainer === undefined) throw optimizerNotFound(id)
    return trainer
  }
}

function addGradients({ card, learner }: Trainer, { body, options, part }: LearningCall): object {
  const call = gradientCall(body, options as GradientOptions)
  const architecture = card.layer ?? namedArchitecture(card.architecture)
  if ('shape' in call) checkEmbeddingGradients({ id: card.id, architecture })
  return learner.gradients(call, part)
}

function step(trainer: Trainer, { options }: LearningCall): object {
  const answer = trainer.learner.apply(options)
  trainer.version++
  return answer
}

/** Brings unread tables up to date. @param present the tables that readers have now, for those that do not learn */
function bring({ learner }: Trainer, { tables, since }: ServingCopy, present: SharedTables): void {
  for (const place of tables.places) {
    const table = learner.table(place.name as LearnableName)
    const source = present.places.find(({ name }) => name === place.name)!
    if (table !== undefined) table.copyTo(numbersOf(tables, place), since)
    else if (since === undefined) bytesOf(tables, place).set(bytesOf(present, source))
  }
}

function numbersOf(tables: SharedTables, place: TablePlace): Float32Array {
  const { buffer, byteOffset, byteLength } = bytesOf(tables, place)
  return new Float32Array(buffer, byteOffset, byteLength / 4)
}

function stateOf({ learner, version }: Trainer): TrainingState {
  const { tables, stateBytes, gradientBytes } = learner
  const tableBytes = tables.reduce((sum, { numbers }) => sum + numbers.byteLength, 0)
  const bytes = { tables: tableBytes, states: stateBytes, gradients: gradientBytes }
  return { progress: learner.describe(), version, bytes }
}

function checkWriter({ writers }: Learner, writer: string): void {
  const known = writers.sequences()
  if (Object.hasOwn(known, writer) || Object.keys(known).length < MAX_WRITERS) return
  const rule = `must be one of the ${MAX_WRITERS} names that have come: there may be no more`
  throw new InletError('invalid_request', `\`X-Writer\` ${rule}. Given: ${shown(writer)}`, 'X-Writer')
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
