import { allocateTables, type SharedTables, sameLayout, type TableShape } from '../embeddings/table-memory.js'
import { InletError } from '../errors.js'

/**
 * The memories of one model. Exchanges of equal layout take turns on two of them: a memory that is left to the
 * collector is not given back before it runs, and fifty exchanges in a row would hold fifty.
 */
export class Memories {
  #spare: SharedTables | undefined

  constructor(
    private readonly dim: number,
    private readonly threads: number,
  ) {}

  /** Memory for tables of this layout: the spare one, or a new one. What it holds is undefined. @throws InletError `insufficient_memory` */
  take(layout: readonly TableShape[]): SharedTables {
    const spare = this.#spare
    this.#spare = undefined // one of another layout would be in the way of those that come
    if (spare !== undefined && sameLayout(spare.places, layout)) return spare
    return allocated(layout, this.dim, this.threads)
  }

  /** Keeps a memory that nobody uses any more for the next exchange; a second one is left to the collector. */
  give(tables: SharedTables): void {
    this.#spare ??= tables
  }

  /** Keeps none: the model is unloaded. */
  clear(): void {
    this.#spare = undefined
  }
}

/** A memory ends at 4 GiB, and the system may have less. */
function allocated(layout: readonly TableShape[], dim: number, threads: number): SharedTables {
  try {
    return allocateTables(layout, dim, threads)
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    throw new InletError('insufficient_memory', error.message)
  }
}
