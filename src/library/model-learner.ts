import type { Model } from '../first-layer/embeddings/model.js'
import { InletError, quoted, shownShape } from '../first-layer/errors.js'
import { checkpointTensors, tensorOver } from '../first-layer/learning/checkpoint.js'
import { writeMetadata } from '../first-layer/learning/checkpoint-metadata.js'
import { type LearnableName, POSITION_TABLE, TOKEN_TABLE } from '../first-layer/learning/gradient-call.js'
import type { Learner } from '../first-layer/learning/learner.js'
import { type LearnableTable, newLearner } from '../first-layer/learning/new-learner.js'
import { type CheckpointFile, restoreLearner } from '../first-layer/learning/restore.js'
import { checkEmbeddingGradients, checkLearnable } from '../first-layer/learning/whole-layer.js'
import { run, runBlocks } from '../first-layer/steps.js'
import { headerLength, LENGTH_BYTES, parseHeader } from '../first-layer/tensors/safetensors/header.js'
import { safetensorsFile } from '../first-layer/tensors/safetensors/safetensors-file.js'
import { gathered } from './gathered.js'
import { readGradients } from './gradient-input.js'
import type {
  EmbeddingGradients,
  LearnerStep,
  LearnerStepOptions,
  ModelLearner,
  OptimizerOptions,
  PendingGradients,
  RowGradients,
} from './learning-api.js'

/** A learner whose tables are those of the model. */
export function learn(model: Model, optimizer: OptimizerOptions): ModelLearner {
  checkLearnable(model.spec)
  const learner = newLearner({ ...optimizer }, learnableTables(model))
  for (const table of learner.tables) table.numbers().set(numbersOf(model, table.place.name))
  run(learner.begin())
  return new BoundLearner(model, learner)
}

/** A learner that goes on from a checkpoint; the model gets its tables. */
export function resume(model: Model, bytes: Uint8Array): ModelLearner {
  checkLearnable(model.spec)
  const start = LENGTH_BYTES + headerLength(bytes)
  const file: CheckpointFile = {
    header: parseHeader(bytes.subarray(LENGTH_BYTES, start), bytes.length - start),
    read: (from, out) => out.set(bytes.subarray(start + from, start + from + out.length)),
  }
  for (const { name, rows, dim } of learnableTables(model)) {
    const shape = file.header.tensors.find((tensor) => tensor.name === name)?.shape ?? []
    if (shape.join() === [rows, dim].join()) continue
    const message = `${quoted(name)} must be ${shownShape([rows, dim])}, as the model’s. Given: ${shownShape(shape)}`
    throw new InletError('invalid_request', message, name)
  }
  const learner = run(restoreLearner(file))
  for (const { name } of learnableTables(model)) {
    const { start: from } = file.header.tensors.find((tensor) => tensor.name === name)!
    const numbers = numbersOf(model, name)
    file.read(from, new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength))
  }
  return new BoundLearner(model, learner)
}

class BoundLearner implements ModelLearner {
  constructor(
    private readonly model: Model,
    private readonly learner: Learner,
  ) {}

  get steps(): number {
    return this.learner.step
  }

  get stateBytes(): number {
    return this.learner.stateBytes
  }

  gradients(given: EmbeddingGradients | RowGradients): PendingGradients {
    if ('gradients' in given) checkEmbeddingGradients(this.model.spec)
    return run(this.learner.gradients(readGradients(given)))
  }

  step(options: LearnerStepOptions = {}): LearnerStep {
    const { answer, changed } = run(this.learner.apply({ ...options }))
    for (const table of this.learner.tables) {
      const { name, dim } = table.place
      const [from, to] = [table.numbers(), numbersOf(this.model, name)]
      const rows = changed.get(name) ?? new Int32Array(0)
      if (rows.length === table.place.rows) to.set(from)
      else for (const row of rows) to.set(from.subarray(row * dim, (row + 1) * dim), row * dim)
    }
    return answer
  }

  checkpoint(): Uint8Array {
    const learned = checkpointTensors(this.learner)
    const others = learnableTables(this.model)
      .filter(({ name }) => !this.learner.optimizer.tables.includes(name))
      .map(({ name, rows, dim }) => tensorOver(name, [rows, dim], numbersOf(this.model, name)))
    const file = safetensorsFile(writeMetadata(this.learner), [...learned, ...others])
    return gathered(runBlocks(file.blocks()), file.bytes)
  }
}

function learnableTables(model: Model): readonly LearnableTable[] {
  return [TOKEN_TABLE, POSITION_TABLE].flatMap((name) => {
    const place = model.place(name)
    return place === undefined
      ? []
      : [{ name: name as LearnableName, rows: place.shape[0]!, dim: place.shape[1]! }]
  })
}

function numbersOf(model: Model, name: LearnableName): Float32Array {
  return model.values(name) as Float32Array
}
