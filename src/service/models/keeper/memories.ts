import {
  allocateTables,
  type SharedTables,
  sameLayout,
  type TableShape,
} from '../../../first-layer/embeddings/table-memory.js'
import { InletError } from '../../answer/error-table.js'

/**
 * The memories of one model: exchanges of equal layout alternate between two. New memories are freed only
 * when the garbage collector runs, so fifty exchanges in a row could hold fifty of them.
 */
export class Memories {
  #spare: SharedTables | undefined
  readonly #waiting: (() => void)[] = []

  constructor(
    private readonly dim: number,
    private readonly threads: number,
  ) {}

  /**
   * Memory for tables of this layout, the spare one or a new one; its content is undefined.
   * @throws InletError `insufficient_memory` above 4 GiB, or if the system cannot give so much
   */
  take(layout: readonly TableShape[]): SharedTables {
    const spare = this.#spare
    this.#spare = undefined // one of another layout would keep the next spare from its place
    if (spare !== undefined && sameLayout(spare.places, layout)) return spare
    try {
      return allocateTables(layout, this.dim, this.threads)
    } catch (error) {
      if (!(error instanceof RangeError)) throw error
      throw new InletError('insufficient_memory', error.message)
    }
  }

  get hasSpare(): boolean {
    return this.#spare !== undefined
  }

  get spare(): SharedTables | undefined {
    return this.#spare
  }

  /** Keeps an unused memory for the next exchange, unless there is a spare one already. */
  give(tables: SharedTables): void {
    this.#spare ??= tables
    for (const goOn of this.#waiting.splice(0)) goOn()
  }

  /** Settles when there is a spare memory, or after so many milliseconds. */
  async spareWithin(milliseconds?: number): Promise<void> {
    if (this.#spare !== undefined) return
    let timer: NodeJS.Timeout | undefined
    await new Promise<void>((resolve) => {
      this.#waiting.push(resolve)
      if (milliseconds !== undefined) timer = setTimeout(resolve, milliseconds)
    })
    clearTimeout(timer)
  }

  clear(): void {
    this.#spare = undefined
  }
}
