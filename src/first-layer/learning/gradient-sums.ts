import { PAUSE, type Steps } from '../steps.js'
import { CASCADE_LEVELS, carries, contiguousSum, FourCascades, runLog2 } from './cascade.js'
import type { LearningMemory } from './learning-memory.js'
import { RowSums } from './row-sums.js'

/** Sums that take the rows of a call's gradients in their order. */
export interface GradientSums {
  /** The end of the rows from `first` on that may be in one tile. */
  tileEnd(first: number): number
  /** Adds a tile: gradients `first … first + count − 1`, which lie at `source`. */
  add(first: number, count: number, source: number): Steps<void>
  end(): Steps<RowSums>
  /** Gives the memory back. */
  discard(): void
}

/** `nn.Embedding`'s dense backward: each row from zero, contributions one after the other. */
export class DenseSums implements GradientSums {
  readonly #sums: RowSums
  readonly #ends: Uint8Array

  /** @param ids [N], the rows; negative: adds nothing */
  constructor(
    memory: LearningMemory,
    tableRows: number,
    dim: number,
    private readonly ids: Int32Array,
  ) {
    this.#ends = endsOf(ids, memory, tableRows)
    this.#sums = new RowSums(memory, tableRows, dim)
  }

  tileEnd(): number {
    return this.ids.length
  }

  // biome-ignore lint/correctness/useYield: a tile is one step
  *add(first: number, count: number, source: number): Steps<void> {
    const end = first + count
    this.#sums.addTile(this.ids.subarray(first, end), source, this.#ends.subarray(first, end))
  }

  // biome-ignore lint/correctness/useYield: the sums are there
  *end(): Steps<RowSums> {
    return this.#sums
  }

  discard(): void {
    this.#sums.release()
  }
}

/**
 * The backward of position rows that were broadcast over B: PyTorch's sum of [B, T, C] over its first axis. Blocks of
 * 32 of the T·C columns are cascades over B; the remaining columns are four cascades; [B, 1, 1] is summed as a
 * vector.
 */
export class BroadcastSums implements GradientSums {
  readonly #levels: readonly RowSums[]
  readonly #log2: number
  /** The columns from here on are summed in four ways. */
  readonly #whole: number
  readonly #left: FourCascades | undefined
  /** The remainder columns of the current b. */
  readonly #row: Float32Array
  readonly #elements: Float32Array | undefined
  /** Present where rows are summed one after the other. */
  readonly #ends: Uint8Array | undefined

  /**
   * @param ids [B, T], the position rows offset … offset + T − 1 for each b; negative: hidden
   * @param length T
   */
  constructor(
    private readonly memory: LearningMemory,
    tableRows: number,
    private readonly dim: number,
    private readonly ids: Int32Array,
    private readonly length: number,
    private readonly offset: number,
  ) {
    const batch = ids.length / length
    const columns = length * dim
    this.#log2 = runLog2(batch)
    const levels = batch < 2 ** this.#log2 ? 1 : CASCADE_LEVELS
    this.#whole = columns - (columns % (columns >= 8 ? 32 : 4))
    this.#row = new Float32Array(columns - this.#whole)
    if (columns === 1 && batch >= 8) this.#elements = new Float32Array(batch)
    else if (batch >= 4 && this.#row.length > 0) this.#left = new FourCascades(batch, this.#row.length)
    if (levels === 1) this.#ends = endsOf(ids, memory, tableRows)
    this.#levels = Array.from({ length: levels }, () => new RowSums(memory, tableRows, dim))
  }

  tileEnd(first: number): number {
    const run = 2 ** this.#log2 * this.length
    return this.#levels.length === 1 ? this.ids.length : (Math.floor(first / run) + 1) * run
  }

  *add(first: number, count: number, source: number): Steps<void> {
    const end = first + count
    this.#levels[0].addTile(this.ids.subarray(first, end), source, this.#ends?.subarray(first, end))
    if (this.#elements !== undefined || this.#left !== undefined) this.#addLeft(first, count, source)
    const done = end / this.length
    if (this.#levels.length === 1 || !Number.isInteger(done)) return
    for (let level = 1; level <= carries(done, this.#log2); level++) {
      yield PAUSE
      yield* this.#levels[level].take(this.#levels[level - 1])
    }
  }

  *end(): Steps<RowSums> {
    const [sums, ...above] = this.#levels
    for (const level of above) {
      yield* sums.take(level)
      level.release()
    }
    const left = this.#elements === undefined ? this.#left?.total() : [contiguousSum(this.#elements)]
    if (left !== undefined) this.#setLeft(sums, left)
    return sums
  }

  discard(): void {
    for (const level of this.#levels) level.release()
  }

  /** Collects the remainder columns of a tile's rows. */
  #addLeft(first: number, count: number, source: number): void {
    const numbers = this.memory.memory.float32(source, count * this.dim)
    for (let i = first; i < first + count; i++) {
      const column = (i % this.length) * this.dim
      if (this.ids[i] >= 0) {
        for (let c = Math.max(0, this.#whole - column); c < this.dim; c++) {
          this.#row[column + c - this.#whole] = numbers[(i - first) * this.dim + c]
        }
      }
      if ((i + 1) % this.length !== 0) continue
      if (this.#elements !== undefined) this.#elements[Math.floor(i / this.length)] = this.#row[0]
      this.#left?.add(this.#row)
      this.#row.fill(0)
    }
  }

  /** Writes the remainder columns into the row sums. */
  #setLeft(sums: RowSums, left: ArrayLike<number>): void {
    for (let i = 0; i < left.length; i++) {
      const column = this.#whole + i
      const row = this.offset + Math.floor(column / this.dim)
      if (sums.pointerOf(row) !== 0) sums.changed(row)[column % this.dim] = left[i]
    }
  }
}

/** 1 at the last occurrence of each id, else 0. */
function endsOf(ids: Int32Array, memory: LearningMemory, tableRows: number): Uint8Array {
  const ends = new Uint8Array(ids.length)
  const seen = memory.takePlaces(tableRows)
  for (let i = ids.length - 1; i >= 0; i--) {
    if (ids[i] < 0 || seen[ids[i]] === 1) continue
    ends[i] = seen[ids[i]] = 1
  }
  for (const id of ids) if (id >= 0) seen[id] = 0
  memory.givePlaces(seen)
  return ends
}
