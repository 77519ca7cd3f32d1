import { InletError } from '../errors.js'
import type { GradientCall, LearnableName } from './gradient-call.js'
import { type ModelTables, sumCall } from './gradient-sums.js'
import { type LearnableTable, LearningTable } from './learning-table.js'
import { describeOptimizer, type Optimizer, readOptimizer, readStepOptions } from './optimizer-options.js'

/** Numbers of a step or of gradients, by table. */
export type ByTable = { [Name in LearnableName]?: number }

/** Tables that learn under one optimizer. */
export class Learner {
  readonly optimizer: Optimizer
  readonly tables: readonly LearningTable[]
  step = 0
  /** Calls with gradients since the last step. */
  pending = 0
  readonly #held: ModelTables

  /**
   * A learner whose tables are zero: the caller fills them.
   *
   * @param optimizer as JSON: `{ type: 'sgd', lr: 0.1 }`
   * @param held the tables that the model has of `wte.weight` and `wpe.weight`
   * @throws InletError `invalid_request` for the optimizer
   * @throws RangeError where the system has no room for tables and states
   */
  constructor(optimizer: Readonly<Record<string, unknown>>, held: readonly LearnableTable[]) {
    const rows = Object.fromEntries(held.map((table) => [table.name, table.rows]))
    this.optimizer = readOptimizer(optimizer, rows)
    const learned = held.filter(({ name }) => this.optimizer.tables.includes(name))
    this.tables = learned.map((table) => new LearningTable(table, this.optimizer))
    this.#held = Object.fromEntries(held.map((table) => [table.name, this.table(table.name) ?? table]))
  }

  get stateBytes(): number {
    return this.tables.reduce((sum, { stateBytes }) => sum + stateBytes, 0)
  }

  /** Bytes of the gradients since the last step. */
  get gradientBytes(): number {
    return this.tables.reduce((sum, { pending }) => sum + pending.bytes, 0)
  }

  table(name: LearnableName): LearningTable | undefined {
    return this.tables.find((table) => table.name === name)
  }

  /**
   * Adds gradients: those of one call are summed from zero, and their sums are added to the gradients since the last
   * step. Nothing is added where it throws.
   *
   * @param room bytes that gradients may take more
   * @returns by table the rows that have a gradient since the last step, and square roots of float64 sums of squares
   * @throws InletError `invalid_request`, `token_out_of_range`, `context_too_long`, `not_finite`
   * @throws RangeError where gradients would take more than `room`
   */
  gradients(call: GradientCall, room = Number.POSITIVE_INFINITY) {
    const sums = sumCall(call, this.#held)
    const total = [...sums].map(([name, added]) => ({ added, table: this.table(name)! }))
    const growth = total.reduce((sum, { added, table }) => sum + table.pending.growth(added.rows), 0)
    if (growth > room) {
      const most = this.gradientBytes + room
      throw new RangeError(
        `Gradients may take ${most} bytes. They would take ${this.gradientBytes + growth}.`,
      )
    }
    for (const { added, table } of total) {
      table.pending.addAll(added)
      table.isPending = true
    }
    this.pending++
    const rows: ByTable = {}
    const grad_norms: ByTable = {}
    for (const { name, pending } of this.tables) {
      rows[name] = pending.rows.length
      grad_norms[name] = Math.sqrt(pending.squares)
    }
    return { rows, grad_norms, pending: this.pending }
  }

  /**
   * Moves the tables for which gradients came. The gradients are none then.
   *
   * @param given `lr`, `scale`, `weight_decay` for this step
   * @returns by table the rows of which a bit has changed, and the norms of new − old
   * @throws InletError `nothing_pending`, `invalid_request`
   */
  apply(given: Readonly<Record<string, unknown>> = {}) {
    const { options, scale } = readStepOptions(this.optimizer, given)
    if (this.pending === 0) {
      const message = 'A step needs gradients that came since the last one. Given: none'
      throw new InletError('nothing_pending', message)
    }
    const number = ++this.step
    this.pending = 0
    const rows: ByTable = {}
    const norms: ByTable = {}
    for (const table of this.tables) {
      const { changed, squares } = table.isPending
        ? table.step(options, scale, number)
        : { changed: 0, squares: 0 }
      rows[table.name] = changed
      norms[table.name] = Math.sqrt(squares)
    }
    return { step: number, rows_updated: rows, update_norms: norms }
  }

  /** How far it is, as `GET /v1/models/{model}` shows it. */
  describe() {
    return {
      optimizer: describeOptimizer(this.optimizer),
      step: this.step,
      pending: this.pending,
      state_bytes: this.stateBytes,
    }
  }
}
