import { ModelMemory } from '../kernels/model-memory.js'
import type { LearnableName, TableSizes } from './gradient-call.js'
import { Learner } from './learner.js'
import { LearningMemory } from './learning-memory.js'
import { readOptimizer } from './optimizer-options.js'
import type { Writers } from './writers.js'

/**
 * Room for rows of gradients, in tables: for what has come, the sums of a call, and a part that waits. What no row takes
 * takes no memory. The memory does not grow: V8 then replaces the buffer of every shared memory, by which others know theirs.
 */
const GRADIENT_TABLES = 3
/** Bytes that aligning tables and states can cost. */
const SLACK = 1024
/** A memory's 4 GiB but for the kernels' own page. */
const MOST_BYTES = 2 ** 32 - 65_536
/** Room for rows of the smallest tables. */
const LEAST_ROOM = 1 << 24

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
  const tables = learned.reduce((sum, { rows, dim }) => sum + 4 * rows * dim, 0)
  const states = tables * read.law.states(read.options).length
  const fixed = tables + states + LearningMemory.scratchBytes(widest) + SLACK
  const room = Math.min(GRADIENT_TABLES * tables + LEAST_ROOM, Math.max(0, MOST_BYTES - fixed))
  const memory = ModelMemory.create(fixed + room)
  const places = learned.map((table) => ({
    ...table,
    pointer: memory.allocate(4 * table.rows * table.dim),
  }))
  const sizes: TableSizes = Object.fromEntries(
    held.map(({ name, rows, dim }) => [name, { rows, dim, isLearned: read.tables.includes(name) }]),
  )
  return new Learner(new LearningMemory(memory, widest), read, places, sizes, writers)
}
