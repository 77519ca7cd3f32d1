import { bytesOf, type SharedTables, type TablePlace } from '../embeddings/table-memory.js'
import type { SafetensorsFile } from '../tensors/safetensors/safetensors-file.js'
import { type CheckpointFile, checkpointFile, restoreLearner, tensorOver } from './checkpoint.js'
import type { GradientCall, LearnableName } from './gradient-call.js'
import { Learner } from './learner.js'
import { checkTables, fillTables, learnablePlaces } from './model-checkpoint.js'

/** How far a learner is, and the bytes of its memory. */
export interface LearnerState {
  readonly progress: ReturnType<Learner['describe']>
  readonly bytes: { readonly tables: number; readonly states: number; readonly gradients: number }
}

/** A learner beside the shared tables of a model, of which readers have one copy; `present` is always that one. */
export class TableLearner {
  private constructor(private readonly learner: Learner) {}

  /** @throws as `Learner` */
  static begin(optimizer: Readonly<Record<string, unknown>>, present: SharedTables): TableLearner {
    const learner = new Learner(optimizer, learnablePlaces(present))
    for (const { name, place } of learnablePlaces(present))
      learner.table(name)?.numbers.set(numbersOf(present, place))
    return new TableLearner(learner)
  }

  /**
   * @param copy gets the tables
   * @param present has what the file has not
   * @throws InletError `invalid_request` that names what is wrong in the file; RangeError as `Learner`
   */
  static restore(file: CheckpointFile, copy: SharedTables, present?: SharedTables): TableLearner {
    checkTables(file, copy)
    const names = copy.places.map(({ name }) => name)
    const learner = restoreLearner(file, names)
    fillTables(file, copy, present)
    return new TableLearner(learner)
  }

  get state(): LearnerState {
    const { tables, stateBytes: states, gradientBytes: gradients } = this.learner
    const tableBytes = tables.reduce((sum, { numbers }) => sum + numbers.byteLength, 0)
    return { progress: this.learner.describe(), bytes: { tables: tableBytes, states, gradients } }
  }

  /** Adds gradients, as `Learner.gradients`. @param room bytes that they may take more */
  gradients(call: GradientCall, room: number) {
    this.learner.gradientLimit = this.learner.gradientBytes + room
    return this.learner.gradients(call)
  }

  /**
   * Makes a step, as `Learner.apply`, and brings a copy that nobody reads up to date.
   *
   * @param since the step that the copy has; undefined: it is new
   */
  step(
    options: Readonly<Record<string, unknown>>,
    present: SharedTables,
    copy: SharedTables,
    since: number | undefined,
  ) {
    const answer = this.learner.apply(options)
    for (const place of copy.places) {
      const table = this.learner.table(place.name as LearnableName)
      if (table !== undefined) table.copyTo(numbersOf(copy, place), since)
      else if (since === undefined) {
        const source = present.places.find(({ name }) => name === place.name)!
        bytesOf(copy, place).set(bytesOf(present, source))
      }
    }
    return answer
  }

  /**
   * A checkpoint of this moment: what learns, the model's tables that do not, and the metadata.
   *
   * @param isWhole whether it has tables too that cannot learn: nothing else is needed to serve it
   */
  checkpoint(
    present: SharedTables,
    metadata: Readonly<Record<string, string>>,
    isWhole: boolean,
  ): SafetensorsFile {
    const learned: readonly string[] = this.learner.optimizer.tables
    const places = isWhole ? present.places : learnablePlaces(present).map(({ place }) => place)
    const others = places
      .filter(({ name }) => !learned.includes(name))
      .map((place) => tensorOver(place, bytesOf(present, place)))
    return checkpointFile(this.learner, others, metadata)
  }
}

function numbersOf(tables: SharedTables, place: TablePlace): Float32Array {
  const { buffer, byteOffset, byteLength } = bytesOf(tables, place)
  return new Float32Array(buffer, byteOffset, byteLength / 4)
}
