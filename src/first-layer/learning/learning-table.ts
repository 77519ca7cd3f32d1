import type { LearnableName } from './gradient-call.js'
import type { Optimizer } from './optimizer-options.js'
import { RowSums } from './row-sums.js'

/** A table of a model, by its sizes. */
export interface LearnableTable {
  readonly name: LearnableName
  readonly rows: number
  /** C */
  readonly dim: number
}

/** Numbers of which squares are summed together: long sums of small numbers lose more. */
const SUMMED_NUMBERS = 1 << 15
const MOST_SUMMED_ROWS = 1 << 12

/** A table with its optimizer's state and its accumulated gradients. Steps count the table's own, as in PyTorch. */
export class LearningTable implements LearnableTable {
  readonly name: LearnableName
  readonly rows: number
  readonly dim: number
  /** [rows, C], which the owner fills. */
  readonly numbers: Float32Array
  /** The states, [learning rows, C] each, by their names in `torch.optim`. */
  readonly states: ReadonlyMap<string, Float32Array>
  readonly stateBytes: number
  /** Gradients since the last step. */
  readonly pending: RowSums
  /** The step of the learner that changed a row last; 0: none has. */
  readonly changedAt: Int32Array
  /**
   * Whether a call with gradients arrived since the last step, even one for no row: otherwise a step skips the table.
   */
  isPending = false
  /** Steps that the table has made. */
  steps = 0
  /** The rows that learn, in the order of their states. Absent: all. */
  readonly #learning: Int32Array | undefined
  /** Absent: all learn, and the states of row i are the i-th. */
  readonly #stateOf: ReadonlyMap<number, number> | undefined

  /**
   * @throws RangeError where the system has no room for the table and its states
   */
  constructor(
    { name, rows, dim }: LearnableTable,
    private readonly optimizer: Optimizer,
  ) {
    this.name = name
    this.rows = rows
    this.dim = dim
    this.pending = new RowSums(dim)
    if (name === 'wte.weight' && optimizer.rows !== undefined) {
      this.#learning = optimizer.rows
      this.#stateOf = new Map([...optimizer.rows].map((row, i) => [row, i]))
    }
    const { law, options } = optimizer
    const first = law.initialState?.(options) ?? 0
    this.numbers = new Float32Array(rows * dim)
    this.states = new Map(
      law.states(options).map((state) => [state, new Float32Array(this.learningRows * dim).fill(first)]),
    )
    this.stateBytes = this.states.size * 4 * this.learningRows * dim
    this.changedAt = new Int32Array(rows)
  }

  get learningRows(): number {
    return this.#learning?.length ?? this.rows
  }

  /** Whether the states are there: an optimizer makes them at the table's first step, Adagrad at once. */
  get hasState(): boolean {
    return this.steps > 0 || this.optimizer.law.initialState !== undefined
  }

  /** The i-th of the rows that learn. */
  rowAt(i: number): number {
    return this.#learning?.[i] ?? i
  }

  /** Where the states of a row that learns are. */
  stateOf(row: number): number {
    return this.#stateOf?.get(row) ?? row
  }

  learns(row: number): boolean {
    return this.#stateOf?.has(row) ?? true
  }

  /** Copies the rows that have changed since a step of the learner to another [rows, C]. @param since absent: all rows */
  copyTo(target: Float32Array, since = -1): void {
    const { numbers, changedAt, rows, dim } = this
    for (let row = 0; row < rows; row++)
      if (changedAt[row] > since) target.set(numbers.subarray(row * dim, (row + 1) * dim), row * dim)
  }

  /**
   * One step with the pending gradients, which are none then.
   *
   * @param options of the optimizer for this step
   * @param scale factor of the gradients
   * @param number of the learner's step
   * @returns how many rows have a bit that changed, and Σ (new − old)² in float64
   */
  step(
    options: Readonly<Record<string, unknown>>,
    scale: number,
    number: number,
  ): { changed: number; squares: number } {
    const { numbers, pending, dim } = this
    const { law } = this.optimizer
    const move = law.mover(options, ++this.steps)
    const rows = law.movesAllRows(options) ? this.#learning : pending.rows
    const total = rows?.length ?? this.rows
    const states = [...this.states.values()]
    const [gradient, old] = [new Float32Array(dim), new Float32Array(dim)]
    const [bits, oldBits] = [new Int32Array(numbers.buffer), new Int32Array(old.buffer)]
    const factor = Math.fround(scale)
    const summedRows = Math.min(MOST_SUMMED_ROWS, Math.max(1, Math.floor(SUMMED_NUMBERS / dim)))
    const lanes = new Float64Array(2)
    let [changed, squares] = [0, 0]
    for (let i = 0; i < total; i++) {
      const row = rows?.[i] ?? i
      const at = row * dim
      multiply(gradient, pending.numbersOf(row), factor)
      old.set(numbers.subarray(at, at + dim))
      move(numbers, at, gradient, states, this.stateOf(row) * dim)
      if (differ(bits, at, oldBits)) {
        addSquares(lanes, numbers, at, old)
        this.changedAt[row] = number
        changed++
      }
      if ((i + 1) % summedRows !== 0 && i + 1 < total) continue
      squares += lanes[0] + lanes[1]
      lanes.fill(0)
    }
    pending.clear()
    this.isPending = false
    return { changed, squares }
  }
}

/** @param numbers absent: zeros */
function multiply(product: Float32Array, numbers: Float32Array | undefined, factor: number): void {
  if (numbers === undefined) product.fill(0)
  else for (let c = 0; c < product.length; c++) product[c] = numbers[c] * factor
}

function differ(bits: Int32Array, at: number, old: Int32Array): boolean {
  for (let c = 0; c < old.length; c++) if (bits[at + c] !== old[c]) return true
  return false
}

/** Adds (new − old)² to two sums, of every other number each. */
function addSquares(sums: Float64Array, numbers: Float32Array, at: number, old: Float32Array): void {
  const square = (c: number) => (numbers[at + c] - old[c]) ** 2
  let [even, odd] = sums
  let c = 0
  for (; c + 4 <= old.length; c += 4) {
    even += square(c) + square(c + 2)
    odd += square(c + 1) + square(c + 3)
  }
  for (; c < old.length; c++) even += square(c)
  sums[0] = even
  sums[1] = odd
}
