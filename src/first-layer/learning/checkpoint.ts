import { z } from 'zod'
import { parse } from '../options/parse.js'
import type { Written } from '../tensors/blocks.js'
import type { NamedTensor } from '../tensors/named-tensor.js'
import { safetensorsFile } from '../tensors/safetensors/safetensors-file.js'
import { Learner } from './learner.js'
import type { LearnableTable, LearningTable } from './learning-table.js'
import { describeOptimizer } from './optimizer-options.js'
import { RowSums } from './row-sums.js'
import { invalid, type TensorReader, tensorOver } from './tensor-file.js'

/** Bytes of a block of gradients. */
const BLOCK_BYTES = 1 << 20

/**
 * A checkpoint: `wte.weight`, `optimizer.wte.weight.exp_avg` as PyTorch calls its states, and, of a table that has gradients,
 * `gradients.wte.weight` as PyTorch's `.grad` and the rows with a gradient, `gradients.wte.weight.rows` int32. Metadata are JSON
 * in strings. The learner makes no step while it is read.
 *
 * @param others the model's tables that do not learn
 * @param more metadata
 */
export function checkpointFile(
  learner: Learner,
  others: readonly NamedTensor[],
  more: Readonly<Record<string, string>> = {},
): Written {
  const { optimizer, tables } = learner
  const metadata = {
    optimizer: JSON.stringify(describeOptimizer(optimizer)),
    step: String(learner.step),
    pending: String(learner.pending),
    optimizer_steps: JSON.stringify(Object.fromEntries(tables.map(({ name, steps }) => [name, steps]))),
    ...more,
  }
  return safetensorsFile(metadata, [...tables.flatMap(tensorsOf), ...others])
}

function tensorsOf(table: LearningTable): readonly NamedTensor[] {
  const { name, rows, dim, learningRows, states } = table
  const float = (id: string, count: number, numbers: Float32Array) =>
    tensorOver({ name: id, shape: [count, dim], dtype: 'float32' }, numbers)
  const stored = table.hasState ? [...states] : []
  return [
    float(name, rows, table.numbers),
    ...stored.map(([state, numbers]) => float(`optimizer.${name}.${state}`, learningRows, numbers)),
    ...(table.isPending ? gradientsOf(table) : []),
  ]
}

/** The gradients of all rows that learn, zeros where none came, and the numbers of the rows that came. */
function gradientsOf(table: LearningTable): readonly NamedTensor[] {
  const { dim, learningRows, pending } = table
  const name = `gradients.${table.name}`
  const most = Math.max(1, Math.floor(BLOCK_BYTES / (4 * dim)))
  const came = Int32Array.from(pending.rows)
  return [
    {
      ...{ name, dtype: 'float32', shape: [learningRows, dim] },
      *blocks() {
        for (let start = 0; start < learningRows; start += most) {
          const count = Math.min(most, learningRows - start)
          const block = new Float32Array(count * dim)
          for (let i = 0; i < count; i++) block.set(pending.numbersOf(table.rowAt(start + i)) ?? [], i * dim)
          yield new Uint8Array(block.buffer)
        }
      },
    },
    tensorOver({ name: `${name}.rows`, shape: [came.length], dtype: 'int32' }, came),
  ]
}

/** Steps and calls of a file: a row's last step is kept in 32 bits. */
const count = z
  .int()
  .min(0)
  .max(2 ** 30)

/** A value that the file has as JSON. */
const json = <Schema extends z.ZodType>(schema: Schema) =>
  z.preprocess((text) => {
    try {
      return JSON.parse(String(text))
    } catch {
      return text
    }
  }, schema)

const areSteps = (given: unknown) => z.record(z.string(), count).safeParse(given).success

const learnerMetadata = z.object({
  optimizer: json(z.record(z.string(), z.unknown())),
  step: json(count),
  pending: json(count),
  optimizer_steps: json(z.custom<Readonly<Record<string, number>>>(areSteps, 'must be steps by table')),
})

/**
 * A learner as it was when its checkpoint was written: its next step gives the same bits.
 *
 * @param file of which nobody asks for other tensors afterwards: those that nobody has asked for are refused
 * @param held the tables that the model has of `wte.weight` and `wpe.weight`
 * @throws InletError `invalid_request` that names the tensor or the field
 * @throws RangeError as `Learner`
 */
export function restoreLearner(file: TensorReader, held: readonly LearnableTable[]): Learner {
  const { optimizer, step, pending, optimizer_steps } = parse(learnerMetadata, file.metadata, [
    '__metadata__',
  ])
  const read = (name: string, shape: readonly number[], numbers: Float32Array) =>
    file.readInto(file.needed(name, ['F32'], shape), numbers)
  for (const { name, rows, dim } of held) file.needed(name, ['F32'], [rows, dim])
  const learner = new Learner(optimizer, held)
  for (const table of learner.tables) {
    const { name, rows, dim, learningRows } = table
    read(name, [rows, dim], table.numbers)
    table.steps = optimizer_steps[name] ?? 0
    for (const [state, numbers] of table.hasState ? table.states : [])
      read(`optimizer.${name}.${state}`, [learningRows, dim], numbers)
    const sums = gradientsIn(file, table)
    if (sums === undefined) continue
    table.pending.addAll(sums)
    table.isPending = true
  }
  learner.step = step
  learner.pending = pending
  file.checkAllAsked('this optimizer and these tables')
  return learner
}

/** The gradients of a table's rows that came, each once; undefined where none came. */
function gradientsIn(tensors: TensorReader, table: LearningTable): RowSums | undefined {
  const { dim } = table
  const name = `gradients.${table.name}`
  if (tensors.find(`${name}.rows`) === undefined) return undefined
  const listed = tensors.needed(`${name}.rows`, ['I32'], ['N'])
  const rows = tensors.readInto(listed, new Int32Array(listed.shape[0]))
  const isRight = rows.every((row) => row >= 0 && row < table.rows && table.learns(row))
  if (!isRight || new Set(rows).size !== rows.length)
    throw invalid(listed.name, 'must be rows that learn, each once. Given: others')
  const gradients = tensors.needed(name, ['F32'], [table.learningRows, dim])
  const sums = new RowSums(dim)
  sums.reserve(rows)
  const numbers = new Float32Array(dim)
  for (const row of rows) sums.add(row, tensors.readInto(gradients, numbers, 4 * dim * table.stateOf(row)), 0)
  return sums
}
