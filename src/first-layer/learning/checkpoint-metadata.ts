import { InletError, quoted, shown } from '../errors.js'
import type { LearnableName } from './gradient-call.js'
import type { Learner } from './learner.js'
import { describeOptimizer } from './optimizer-options.js'
import type { WriterState } from './writers.js'

/** What a checkpoint says beside its tensors. */
export interface CheckpointMetadata {
  /** As it is asked for, defaults filled in. */
  readonly optimizer: Readonly<Record<string, unknown>>
  readonly step: number
  /** Calls with gradients since the last step. */
  readonly pending: number
  /** Steps of each table. */
  readonly optimizerSteps: Readonly<Partial<Record<LearnableName, number>>>
  /** Parts of the set that is not whole; 0: none has come. */
  readonly parts: number
  readonly writers: Readonly<Record<string, WriterState>>
}

/** The metadata of a checkpoint: JSON in strings, as safetensors has it. */
export function writeMetadata(learner: Learner): Readonly<Record<string, string>> {
  const steps = Object.fromEntries(learner.tables.map(({ place, steps }) => [place.name, steps]))
  return {
    optimizer: JSON.stringify(describeOptimizer(learner.optimizer)),
    step: String(learner.step),
    pending: String(learner.pending),
    optimizer_steps: JSON.stringify(steps),
    parts: String(learner.parts.count),
    writers: JSON.stringify(learner.writers.states()),
  }
}

/** @throws InletError `invalid_request` that names the field */
export function readMetadata(metadata: Readonly<Record<string, string>>): CheckpointMetadata {
  return {
    optimizer: read(metadata, 'optimizer', isObject, 'an object'),
    step: read(metadata, 'step', isCount, 'a whole number'),
    pending: read(metadata, 'pending', isCount, 'a whole number'),
    optimizerSteps: read(metadata, 'optimizer_steps', isCounts, 'an object of whole numbers'),
    parts: read(metadata, 'parts', isCount, 'a whole number'),
    writers: read(metadata, 'writers', isWriters, 'an object of writers'),
  }
}

function read<Value>(
  metadata: Readonly<Record<string, string>>,
  name: string,
  isRight: (value: unknown) => value is Value,
  rule: string,
): Value {
  const param = `__metadata__.${name}`
  let value: unknown
  try {
    value = JSON.parse(metadata[name] ?? '')
  } catch {
    // Not the value of any rule.
  }
  if (isRight(value)) return value
  const message = `${quoted(param)} must be ${rule} as JSON. Given: ${shown(metadata[name])}`
  throw new InletError('invalid_request', message, param)
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0
}

function isCounts(value: unknown): value is Record<string, number> {
  return isObject(value) && Object.values(value).every(isCount)
}

function isWriters(value: unknown): value is Record<string, WriterState> {
  return isObject(value) && Object.values(value).every(isWriter)
}

function isWriter(value: unknown): value is WriterState {
  if (!isObject(value) || !isCount(value.sequence) || !Array.isArray(value.answers)) return false
  return value.answers.every(
    (each) => isObject(each) && isCount(each.sequence) && typeof each.digest === 'string',
  )
}
