import { InletError } from '../errors.js'
import { type Steps, uninterruptible } from '../steps.js'
import { type CallSums, sumCall } from './call-sums.js'
import { type GradientCall, gradientSources, type LearnableName, type TableSizes } from './gradient-call.js'
import type { LearningMemory } from './learning-memory.js'
import { LearningTable, type TableToLearn } from './learning-table.js'
import { describeOptimizer, type Optimizer, readStepOptions } from './optimizer-options.js'
import { type Part, Parts } from './parts.js'
import type { RowSums } from './row-sums.js'
import { Writers } from './writers.js'

/** Numbers of a step or of gradients, by table. */
export type ByTable<Value> = Readonly<Partial<Record<LearnableName, Value>>>

/** The answer to a call with gradients; for parts, after the whole set has arrived. */
interface GradientAnswer {
  /** Rows that have a gradient since the last step. */
  readonly rows: ByTable<number>
  /** Square roots of float64 sums of squares over all gradients since the last step. */
  readonly grad_norms: ByTable<number>
  /** Calls since the last step. */
  readonly pending: number
}

export interface StepAnswer {
  /** The number of the step, from 1. */
  readonly step: number
  /** Rows of which a bit has changed. */
  readonly rows_updated: ByTable<number>
  /** Norms of new − old. */
  readonly update_norms: ByTable<number>
}

/** An answer, and the rows that a second copy of the tables takes over. */
export interface DoneStep {
  readonly answer: StepAnswer
  readonly changed: ReadonlyMap<LearnableName, Int32Array>
}

/** Tables that learn under one optimizer. Its calls run one after the other, never two at a time. */
export class Learner {
  readonly tables: readonly LearningTable[]
  readonly parts = new Parts<CallSums>()
  step = 0
  /** Calls with gradients since the last step. */
  pending = 0

  /**
   * @param places tables of `optimizer.tables`
   * @param sizes of all tables that the model has
   * @throws RangeError where the memory has no room for the states
   */
  constructor(
    readonly memory: LearningMemory,
    readonly optimizer: Optimizer,
    places: readonly TableToLearn[],
    private readonly sizes: TableSizes,
    readonly writers: Writers = new Writers(),
  ) {
    this.tables = places.map((place) => new LearningTable(memory, place, optimizer))
  }

  /** Fills the states with their first values: once, before all else. */
  *begin(): Steps<void> {
    for (const table of this.tables) yield* table.fillStates()
  }

  get stateBytes(): number {
    return this.tables.reduce((sum, { stateBytes }) => sum + stateBytes, 0)
  }

  /**
   * Adds gradients: those of one call are summed from zero, and their sums are added to the gradients since the last
   * step. The sums of a part wait for all parts.
   *
   * @throws InletError `invalid_request`, `token_out_of_range`, `context_too_long`, `not_finite`; nothing is added
   *   then
   * @throws RangeError where the memory has no room for the gradients; nothing is added then either
   */
  *gradients(call: GradientCall, part?: Part): Steps<GradientAnswer> {
    if (part !== undefined) this.parts.check(part)
    const sources = gradientSources(call, this.sizes)
    const sums = yield* sumCall(this.memory, sources, this.sizes, (name) => this.#table(name)?.learns)
    try {
      this.#reserve(sums, part)
    } catch (error) {
      for (const rows of sums.values()) rows.release()
      throw error
    }
    return yield* uninterruptible(this.#add(sums, part))
  }

  /**
   * Moves the tables for which gradients came. The gradients are none then.
   *
   * @param given `lr`, `scale`, `weight_decay` for this step
   * @throws InletError `parts_missing`, `nothing_pending`, `invalid_request`
   */
  *apply(given: Readonly<Record<string, unknown>> = {}): Steps<DoneStep> {
    const { options, scale } = readStepOptions(this.optimizer, given)
    this.parts.checkNoneMissing()
    if (this.pending === 0) {
      throw new InletError(
        'nothing_pending',
        'A step needs gradients that came since the last one. Given: none',
      )
    }
    return yield* uninterruptible(this.#move(options, scale))
  }

  /** The state of learning, as `GET /v1/models/{model}` shows it. */
  describe() {
    return {
      optimizer: describeOptimizer(this.optimizer),
      step: this.step,
      pending: this.pending,
      state_bytes: this.stateBytes,
      writers: this.writers.sequences(),
    }
  }

  /** Sums of squares as they stand, for the norms. */
  *gradientAnswer(): Steps<GradientAnswer> {
    const rows: Partial<Record<LearnableName, number>> = {}
    const norms: Partial<Record<LearnableName, number>> = {}
    for (const { place, pending } of this.tables) {
      rows[place.name] = pending.rows.length
      norms[place.name] = Math.sqrt(yield* pending.squares())
    }
    return { rows, grad_norms: norms, pending: this.pending }
  }

  #table(name: LearnableName): LearningTable | undefined {
    return this.tables.find(({ place }) => place.name === name)
  }

  /** Takes the rows that adding these sums can need, and those of a set that is whole now: then it cannot fail. */
  #reserve(sums: CallSums, part: Part | undefined): void {
    const held = part === undefined ? [] : [...this.parts.held.values()]
    if (part !== undefined && held.length + 1 < part.count) return
    const rows = new Map<number, number>()
    for (const call of [sums, ...held]) {
      for (const each of call.values()) rows.set(each.dim, (rows.get(each.dim) ?? 0) + each.rows.length)
    }
    for (const [dim, count] of rows) this.memory.pool(dim).reserve(count)
  }

  *#add(sums: CallSums, part: Part | undefined): Steps<GradientAnswer> {
    const whole = part === undefined ? [sums] : this.parts.add(part, sums)
    this.pending++
    if (whole !== undefined) {
      const [first, ...others] = whole
      const total = new Map(first)
      for (const other of others) yield* addInto(total, other)
      for (const [name, added] of total) {
        const table = this.#table(name) as LearningTable
        yield* table.pending.take(added)
        added.release()
        table.isPending = true
      }
    }
    return yield* this.gradientAnswer()
  }

  *#move(options: Parameters<LearningTable['step']>[0], scale: number): Steps<DoneStep> {
    const changed = new Map<LearnableName, Int32Array>()
    const updated: Partial<Record<LearnableName, number>> = {}
    const norms: Partial<Record<LearnableName, number>> = {}
    for (const table of this.tables) {
      const { name } = table.place
      const done = table.isPending ? yield* table.step(options, scale) : undefined
      if (done !== undefined) changed.set(name, done.changed)
      updated[name] = done?.changed.length ?? 0
      norms[name] = Math.sqrt(done?.squares ?? 0)
    }
    this.step++
    this.pending = 0
    return { changed, answer: { step: this.step, rows_updated: updated, update_norms: norms } }
  }
}

/** Adds the sums of one part to those of the parts before it. */
function* addInto(total: Map<LearnableName, RowSums>, part: CallSums): Steps<void> {
  for (const [name, sums] of part) {
    const before = total.get(name)
    if (before === undefined) total.set(name, sums)
    else {
      yield* before.take(sums)
      sums.release()
    }
  }
}
