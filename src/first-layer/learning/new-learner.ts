import { ModelMemory } from '../kernels/model-memory.js'
import type { LearnableName, TableSizes } from './gradient-call.js'
import { Learner } from './learner.js'
import { LearningMemory } from './learning-memory.js'
import { readOptimizer } from './optimizer-options.js'
import type { Writers } from './writers.js'

/** A table of a model, by its sizes. */
export interface LearnableTable {
  readonly name: LearnableName
  readonly rows: number
  /** C */
  readonly dim: number
}

/**
 * A learner in a memory of its own, whose tables are zero: the caller fills them, and runs `begin`.
 *
 * @param optimizer as JSON: `{ type: 'sgd', lr: 0.1 }`
 * @param held the tables that the model has of `wte.weight` and `wpe.weight`
 * @throws InletError `invalid_request` for the optimizer
 * @throws RangeError where tables and states exceed the 4 GiB of a memory, or the system has not as much
 */
export function newLearner(
  optimizer: Readonly<Record<string, unknown>>,
  held: readonly LearnableTable[],
  writers?: Writers,
): Learner {
  const read = readOptimizer(optimizer, Object.fromEntries(held.map(({ name, rows }) => [name, rows])))
  const learned = held.filter(({ name }) => read.tables.includes(name))
  const widest = Math.max(...learned.map(({ dim }) => dim))
  const bytes = learned.reduce((sum, { rows, dim }) => sum + 4 * rows * dim + 64, 0)
  const memory = ModelMemory.create(bytes + LearningMemory.scratchBytes(widest), true)
  const places = learned.map((table) => ({
    ...table,
    pointer: memory.allocate(4 * table.rows * table.dim),
  }))
  const sizes: TableSizes = Object.fromEntries(
    held.map(({ name, rows, dim }) => [name, { rows, dim, isLearned: read.tables.includes(name) }]),
  )
  return new Learner(new LearningMemory(memory, widest), read, places, sizes, writers)
}
