import { STEP_ENTRY } from '../kernels/learning-kernels.js'
import type { Options, OptionValues } from '../options.js'
import { PAUSE, type Steps } from '../steps.js'
import type { LearnableName } from './gradient-call.js'
import type { LearningMemory } from './learning-memory.js'
import type { Optimizer } from './optimizer-options.js'
import { RowSums } from './row-sums.js'

/** Numbers of a table that one step of the work changes: below a millisecond. */
const STEP_NUMBERS = 1 << 16

/** A table that learns, float32 [rows, dim], and its place in the learner's memory. */
export interface TableToLearn {
  readonly name: LearnableName
  readonly rows: number
  /** C */
  readonly dim: number
  readonly pointer: number
}

interface TableStep {
  /** The rows of which a bit has changed: a second copy of the table takes these. */
  readonly changed: Int32Array
  /** Σ (new − old)² over the table, in float64. */
  readonly squares: number
}

/** A table with its optimizer's state and its accumulated gradients. Steps count the table's own, as in PyTorch. */
export class LearningTable {
  /** Gradients since the last step, each row's sum. */
  readonly pending: RowSums
  /**
   * Whether a call with gradients arrived since the last step, even one for no row: otherwise a step skips the table.
   */
  isPending = false
  /** Steps that the table has made. */
  steps = 0
  /** The rows that learn, in the order of their states. Absent: all. */
  readonly #rows: Int32Array | undefined
  /** The index of a row's states, from 1; 0: the row does not learn. Absent: all learn. */
  readonly #stateOf: Int32Array | undefined
  readonly #statePointer: number

  /** @throws RangeError where the memory has no room for the state */
  constructor(
    private readonly memory: LearningMemory,
    readonly place: TableToLearn,
    private readonly optimizer: Optimizer,
  ) {
    this.pending = new RowSums(memory, place.rows, place.dim)
    if (place.name === 'wte.weight' && optimizer.rows !== undefined) {
      this.#rows = optimizer.rows
      this.#stateOf = new Int32Array(place.rows)
      for (const [i, row] of optimizer.rows.entries()) this.#stateOf[row] = i + 1
    }
    this.#statePointer = memory.memory.allocate(this.stateBytes)
  }

  get learningRows(): number {
    return this.#rows?.length ?? this.place.rows
  }

  /** The names of the states, as `torch.optim` calls them. */
  get stateNames(): readonly string[] {
    return this.optimizer.law.states(this.optimizer.options)
  }

  get stateBytes(): number {
    return this.stateNames.length * this.#oneStateBytes
  }

  /** Whether the states are there: an optimizer makes them at the table's first step, Adagrad at once. */
  get hasState(): boolean {
    return this.steps > 0 || this.optimizer.law.initialState !== undefined
  }

  /** A state's numbers, [learning rows, C]. */
  state(name: string): Float32Array {
    const i = this.stateNames.indexOf(name)
    const length = this.learningRows * this.place.dim
    return this.memory.memory.float32(this.#statePointer + i * this.#oneStateBytes, length)
  }

  /** The table's numbers, [rows, C]. */
  numbers(): Float32Array {
    const { pointer, rows, dim } = this.place
    return this.memory.memory.float32(pointer, rows * dim)
  }

  /** The i-th of the rows that learn. */
  readonly rowAt = (i: number): number => this.#rows?.[i] ?? i

  /** Whether a row learns. Absent: all do. */
  get learns(): ((row: number) => boolean) | undefined {
    const stateOf = this.#stateOf
    return stateOf && ((row) => stateOf[row] !== 0)
  }

  /** Fills the states with their first value. The memory is zero. */
  *fillStates(): Steps<void> {
    const value = this.optimizer.law.initialState?.(this.optimizer.options) ?? 0
    if (value === 0) return
    for (const name of this.stateNames) {
      const state = this.state(name)
      for (let at = 0; at < state.length; at += STEP_NUMBERS) {
        yield PAUSE
        state.fill(value, at, at + STEP_NUMBERS)
      }
    }
  }

  /**
   * One step with the pending gradients, which are none then. It must run to its end.
   *
   * @param options of the optimizer for this step
   * @param scale factor of the gradients
   */
  *step(options: OptionValues<Options>, scale: number): Steps<TableStep> {
    const { law } = this.optimizer
    const update = law.update(options, ++this.steps)
    const all = law.movesAllRows(options)
    const { rows: came, pointers } = this.pending
    const rows = all ? this.#rows : came
    const total = all ? this.learningRows : came.length
    const { kernels, entries, entriesPointer } = this.memory
    const { dim } = this.place
    const most = Math.min(this.memory.tileRows(dim), Math.max(1, Math.floor(STEP_NUMBERS / dim)))
    const changed = new Int32Array(total)
    let changes = 0
    let squares = 0
    for (let start = 0; start < total; start += most) {
      if (start > 0) yield PAUSE
      const count = Math.min(most, total - start)
      this.#enter(start, count, rows, all ? undefined : pointers)
      const batch = { entries: entriesPointer, count, dim, stateBytes: this.#oneStateBytes, scale }
      squares += update(kernels, batch)
      for (let i = 0; i < count; i++) {
        if (entries[i * STEP_ENTRY + 3] !== 0) changed[changes++] = rows?.[start + i] ?? start + i
      }
    }
    this.pending.clear()
    this.isPending = false
    return { changed: changed.subarray(0, changes), squares }
  }

  get #oneStateBytes(): number {
    return 4 * this.learningRows * this.place.dim
  }

  /**
   * Writes the entries of the rows that a kernel is about to change.
   *
   * @param rows that are walked; absent: all
   * @param pointers of their gradients, where each has one
   */
  #enter(
    start: number,
    count: number,
    rows: Int32Array | undefined,
    pointers: Uint32Array | undefined,
  ): void {
    const { entries, zeros } = this.memory
    const { pointer, dim } = this.place
    const stateOf = this.#stateOf
    const rowBytes = 4 * dim
    for (let i = 0; i < count; i++) {
      const row = rows === undefined ? start + i : rows[start + i]
      const state = stateOf === undefined ? row : stateOf[row] - 1
      const at = i * STEP_ENTRY
      entries[at] = pointer + row * rowBytes
      entries[at + 1] = pointers === undefined ? this.pending.pointerOf(row) || zeros : pointers[start + i]
      entries[at + 2] = this.#statePointer + state * rowBytes
    }
  }
}
