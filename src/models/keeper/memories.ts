import { InletError } from '../../errors.js'
import {
  allocateTables,
  type SharedTables,
  sameLayout,
  type TableShape,
} from '../../first-layer/embeddings/table-memory.js'

/**
 * The memories of one model. Exchanges of equal layout alternate between two memories. A new memory for each
 * exchange would be freed only when the garbage collector runs: fifty exchanges in a row could hold fifty
 * memories.
 */
export class Memories {
  #spare: SharedTables | undefined

  constructor(
    private readonly dim: number,
    private readonly threads: number,
  ) {}

  /**
   * Memory for tables of this layout, the spare one or a new one; its content is undefined. @throws InletError
   * `insufficient_memory`
   */
  take(layout: readonly TableShape[]): SharedTables {
    const spare = this.#spare
    this.#spare = undefined // one of another layout would be in the way of those that come
    if (spare !== undefined && sameLayout(spare.places, layout)) return spare
    return allocated(layout, this.dim, this.threads)
  }

  /** Keeps an unused memory for the next exchange, unless there is a spare one already. */
  give(tables: SharedTables): void {
    this.#spare ??= tables
  }

  /** Lets the spare memory go: the model is unloaded. */
  clear(): void {
    this.#spare = undefined
  }
}

/**
 * Allocates a memory: at most 4 GiB, and at most what the system can give. @throws InletError
 * `insufficient_memory`
 */
function allocated(layout: readonly TableShape[], dim: number, threads: number): SharedTables {
  try {
    return allocateTables(layout, dim, threads)
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    throw new InletError('insufficient_memory', error.message)
  }
}
