import { TorchGenerator } from './generator.js'

/** Tables of normals that PyTorch draws one after the other from one stream; plain data that can be posted to a thread. */
export interface Drawing {
  readonly seed: bigint
  readonly std: number
  /** Numbers of the tables that the stream has before these. */
  readonly skipped: readonly number[]
  readonly lengths: readonly number[]
}

/** Draws the tables: about 6 ns a number, and a tenth of that for one that is skipped. */
export function drawTables(
  { seed, std, skipped, lengths }: Drawing,
  allocate: (length: number) => Float32Array = (length) => new Float32Array(length),
): readonly Float32Array[] {
  const generator = new TorchGenerator(seed)
  for (const count of skipped) generator.skipNormal(count)
  return lengths.map((length) => {
    const table = allocate(length)
    generator.normal(table, 0, std)
    return table
  })
}

/** Most numbers that a thread keeps between requests: 32 MiB. */
const MAX_KEPT_NUMBERS = 2 ** 23
/** Most drawings that a thread keeps: of the smallest, the map's entry takes more memory than the numbers. */
const MAX_KEPT_DRAWINGS = 64

/** The latest drawings, the least recently used first. */
const kept = new Map<string, readonly Float32Array[]>()

/** The tables of a drawing for one caller. They are read only: callers share what the thread keeps. */
export class Drawn {
  readonly numbers: number
  readonly #key: string
  #tables: readonly Float32Array[] | undefined

  constructor(readonly drawing: Drawing) {
    const { seed, std, skipped, lengths } = drawing
    this.numbers = lengths.reduce((sum, length) => sum + length, 0)
    this.#key = `${seed}:${std}:${skipped}:${lengths}`
  }

  /** Memory of the tables: each caller counts all of it, since each may be the last to hold them. */
  get bytes(): number {
    return this.numbers * Float32Array.BYTES_PER_ELEMENT
  }

  /** Whether the caller, or the thread, has them. */
  get areThere(): boolean {
    return this.#tables !== undefined || kept.has(this.#key)
  }

  /** They are drawn where they are not there. */
  get tables(): readonly Float32Array[] {
    this.#tables ??= this.#used(kept.get(this.#key) ?? drawTables(this.drawing))
    return this.#tables
  }

  /** Takes tables that were drawn elsewhere. */
  take(tables: readonly Float32Array[]): void {
    this.#tables = this.#used(tables)
  }

  #used(tables: readonly Float32Array[]): readonly Float32Array[] {
    if (this.numbers > MAX_KEPT_NUMBERS) return tables
    kept.delete(this.#key)
    kept.set(this.#key, tables)
    for (const oldest of kept.keys()) {
      const total = [...kept.values()].flat().reduce((sum, table) => sum + table.length, 0)
      if (total <= MAX_KEPT_NUMBERS && kept.size <= MAX_KEPT_DRAWINGS) break
      kept.delete(oldest)
    }
    return tables
  }
}
