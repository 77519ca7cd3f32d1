import { invalidField } from '../errors.js'

import { type Blocks, PAUSE } from '../steps.js'
import type { NamedTensor } from '../tensors/named-tensor.js'
import type { LearnableName } from './gradient-call.js'
import type { Learner } from './learner.js'
import type { LearningTable } from './learning-table.js'
import { describeOptimizer } from './optimizer-options.js'
import type { RowSums } from './row-sums.js'
import type { WriterState } from './writers.js'

const BLOCK_BYTES = 1 << 20

/**
 * The tensors of a checkpoint: `wte.weight`, `optimizer.wte.weight.exp_avg` as PyTorch calls its states, and, of a
 * table that has gradients, `gradients.wte.weight` as PyTorch's `.grad` and the rows with a gradient,
 * `gradients.wte.weight.rows` int32. Parts of an incomplete set: `parts.2.wte.weight` and its rows. The learner makes
 * no step while they are read.
 */
export function checkpointTensors(learner: Learner): readonly NamedTensor[] {
  const tables = learner.tables.flatMap((table) => tensorsOf(table))
  const parts = [...learner.parts.held].flatMap(([index, sums]) =>
    [...sums].flatMap(([name, rows]) => {
      const label = `parts.${index}.${name}`
      return [compactRows(label, rows), rowsTensor(`${label}.rows`, rows)]
    }),
  )
  return [...tables, ...parts]
}

/** A tensor of float32 or int32 numbers in memory. */
export function tensorOver(
  name: string,
  shape: readonly number[],
  numbers: Float32Array | Int32Array,
): NamedTensor {
  const bytes = new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength)
  return {
    ...{ name, shape, dtype: numbers instanceof Float32Array ? 'float32' : 'int32' },
    *blocks(): Blocks {
      for (let at = 0; at < bytes.length; at += BLOCK_BYTES) {
        yield PAUSE
        yield bytes.subarray(at, at + BLOCK_BYTES)
      }
    },
  }
}

function tensorsOf(table: LearningTable): readonly NamedTensor[] {
  const { name, rows, dim } = table.place
  const states = table.hasState ? table.stateNames : []
  return [
    tensorOver(name, [rows, dim], table.numbers()),
    ...states.map((state) =>
      tensorOver(`optimizer.${name}.${state}`, [table.learningRows, dim], table.state(state)),
    ),
    ...(table.isPending ? [gradientTensor(table), rowsTensor(`gradients.${name}.rows`, table.pending)] : []),
  ]
}

/** PyTorch's `.grad`, [learning rows, C]: zeros except in the rows with a gradient. */
function gradientTensor({ place, pending, learningRows, rowAt }: LearningTable): NamedTensor {
  return rowsInBlocks(`gradients.${place.name}`, learningRows, pending, rowAt)
}

/** Only the rows with a gradient, [n, C]. */
function compactRows(name: string, sums: RowSums): NamedTensor {
  return rowsInBlocks(name, sums.rows.length, sums, (i) => sums.rows[i])
}

function rowsTensor(name: string, { rows }: RowSums): NamedTensor {
  return tensorOver(name, [rows.length], Int32Array.from(rows))
}

function rowsInBlocks(name: string, count: number, sums: RowSums, rowAt: (i: number) => number): NamedTensor {
  const { dim } = sums
  const most = Math.max(1, Math.floor(BLOCK_BYTES / (4 * dim)))
  return {
    ...{ name, dtype: 'float32', shape: [count, dim] },
    *blocks(): Blocks {
      const block = new Float32Array(Math.min(most, count) * dim)
      for (let start = 0; start < count; start += most) {
        yield PAUSE
        const rows = Math.min(most, count - start)
        block.fill(0)
        for (let i = 0; i < rows; i++) {
          const row = rowAt(start + i)
          if (sums.pointerOf(row) !== 0) block.set(sums.numbersOf(row), i * dim)
        }
        yield new Uint8Array(block.buffer, 0, 4 * rows * dim)
      }
    },
  }
}

/** The metadata of a checkpoint. */
export interface CheckpointMetadata {
  /** As it is asked for, defaults filled in. */
  readonly optimizer: Readonly<Record<string, unknown>>
  readonly step: number
  /** Calls with gradients since the last step. */
  readonly pending: number
  readonly optimizerSteps: Readonly<Partial<Record<LearnableName, number>>>
  /** Number of parts in the incomplete set; 0: no part has arrived. */
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
  throw invalidField(param, `must be ${rule} as JSON`, metadata[name])
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
