import type { Model } from '../first-layer/embeddings/model.js'
import { InletError, invalidField, quoted, shownShape } from '../first-layer/errors.js'
import {
  checkpointFile,
  openCheckpoint,
  restoreLearner,
  tensorOver,
} from '../first-layer/learning/checkpoint.js'
import {
  checkEmbeddingGradients,
  checkLearnable,
  type GradientCall,
  type GradientRows,
  type LearnableName,
  POSITION_TABLE,
  TOKEN_TABLE,
} from '../first-layer/learning/gradient-call.js'
import { Learner } from '../first-layer/learning/learner.js'
import type { LearnableTable } from '../first-layer/learning/learning-table.js'
import { gathered } from '../first-layer/tensors/blocks.js'
import type {
  EmbeddingGradients,
  LearnerStep,
  ModelLearner,
  OptimizerOptions,
  PendingGradients,
  RowGradients,
} from './learning-api.js'
import type { LearnerStepOptions } from './options.js'

/** A learner whose tables are those of the model. */
export function learn(model: Model, optimizer: OptimizerOptions): ModelLearner {
  checkLearnable(model.spec)
  const learner = new Learner({ ...optimizer }, learnableTables(model))
  for (const table of learner.tables) table.numbers.set(numbersOf(model, table.name))
  return new BoundLearner(model, learner)
}

/** A learner that resumes from a checkpoint; the model gets its tables. */
export function resume(model: Model, bytes: Uint8Array): ModelLearner {
  checkLearnable(model.spec)
  const file = openCheckpoint(bytes)
  const stored = (table: string) => file.header.tensors.find(({ name }) => name === table)
  for (const { name, rows, dim } of learnableTables(model)) {
    const shape = stored(name)?.shape ?? []
    if (shape.join() === [rows, dim].join()) continue
    const message = `${quoted(name)} must be ${shownShape([rows, dim])}, as the model’s. Given: ${shownShape(shape)}`
    throw new InletError('invalid_request', message, name)
  }
  const learner = restoreLearner(file)
  for (const { name } of learnableTables(model)) {
    const { buffer, byteOffset, byteLength } = numbersOf(model, name)
    file.read(stored(name)!.start, new Uint8Array(buffer, byteOffset, byteLength))
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
    return this.learner.gradients(readGradients(given))
  }

  step(options: LearnerStepOptions = {}): LearnerStep {
    const before = this.learner.step
    const answer = this.learner.apply({ ...options })
    for (const table of this.learner.tables) table.copyTo(numbersOf(this.model, table.name), before)
    return answer
  }

  checkpoint(): Uint8Array {
    const others = learnableTables(this.model)
      .filter(({ name }) => !this.learner.optimizer.tables.includes(name))
      .map(({ name, rows, dim }) =>
        tensorOver({ name, shape: [rows, dim], dtype: 'float32' }, numbersOf(this.model, name)),
      )
    const file = checkpointFile(this.learner, others)
    return gathered(file.blocks(), new Uint8Array(file.bytes))
  }
}

function learnableTables(model: Model): readonly LearnableTable[] {
  return [TOKEN_TABLE, POSITION_TABLE].flatMap((name) => {
    const place = model.place(name)
    return place === undefined
      ? []
      : [{ name: name as LearnableName, rows: place.shape[0], dim: place.shape[1] }]
  })
}

function numbersOf(model: Model, name: LearnableName): Float32Array {
  return model.values(name) as Float32Array
}

/**
 * The call of a script's gradients.
 *
 * @throws InletError `invalid_request` for a field that is missing, unknown or of the wrong type
 */
function readGradients(given: EmbeddingGradients | RowGradients): GradientCall {
  if ('gradients' in given) {
    const { shape, gradients, input_ids, position_ids, position_offset, attention_mask, ...unknown } = given
    checkNoneLeft(unknown)
    const isShape = Array.isArray(shape) && shape.length === 2 && shape.every(isSize)
    if (!isShape) throw invalidField('shape', 'must be [B, T], both from 1', shape)
    return {
      shape,
      gradients: rowsOf('gradients', gradients),
      inputIds: integers('input_ids', input_ids),
      positionIds: optional('position_ids', position_ids),
      positionOffset: position_offset,
      attentionMask: optional('attention_mask', attention_mask),
    }
  }
  const { token_gradients, token_ids, position_gradients, position_ids, ...unknown } = given
  checkNoneLeft(unknown)
  return {
    tokens: pairOf('token', token_gradients, token_ids),
    positions: pairOf('position', position_gradients, position_ids),
  }
}

function pairOf(name: string, gradients: Float32Array | undefined, ids: RowGradients['token_ids']) {
  if (gradients === undefined && ids === undefined) return undefined
  return { gradients: rowsOf(`${name}_gradients`, gradients), ids: integers(`${name}_ids`, ids) }
}

function rowsOf(field: string, numbers: unknown): GradientRows {
  if (!(numbers instanceof Float32Array)) throw invalidField(field, 'must be a Float32Array', numbers)
  const bytes = new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength)
  return { bytes, dtype: 'float32' }
}

function optional(field: string, values: unknown): Int32Array | undefined {
  return values === undefined ? undefined : integers(field, values)
}

function integers(field: string, values: unknown): Int32Array {
  if (values instanceof Int32Array) return values
  if (!Array.isArray(values))
    throw invalidField(field, 'must be an Int32Array or an array of integers', values)
  const numbers = Int32Array.from(values)
  const wrong = numbers.findIndex((number, i) => number !== values[i])
  if (wrong >= 0) throw invalidField(`${field}.${wrong}`, 'must be an integer of 32 bits', values[wrong])
  return numbers
}

const isSize = (value: unknown) => Number.isSafeInteger(value) && (value as number) >= 1

function checkNoneLeft(unknown: object): void {
  const [name] = Object.keys(unknown)
  if (name === undefined) return
  throw new InletError('invalid_request', `${quoted(name)} is not a field of this request.`, name)
}
