import { read as readFile, readSync } from 'node:fs'
import { RowsUnreadable } from '../errors.js'
import { CachedReads } from '../running/cached-reads.js'
import { ITEM_BYTES } from '../tensors/named-tensor.js'
import type { DiskTableCard } from './lookup-card.js'

/** A tensor of a table, in a file that stays open. */
export interface OpenTensor {
  readonly fd: number
  readonly file: string
  readonly name: string
  /** Offset of its first byte in the file. */
  readonly at: number
  readonly rows: number
}

export interface DiskTableOptions {
  /** Whether reads of what is not in the page cache may wait in other threads; else the caller's waits. */
  readonly mayWait: boolean
  /** Called when rows cannot be read. */
  failed?(error: RowsUnreadable): void
}

/** The rows of a table on disk. Nothing is kept of them but the system's page cache. */
export class DiskTable {
  readonly rowBytes: number
  readonly #reads: Pick<CachedReads<Uint8Array, Uint8Array>, 'read'>

  constructor(
    readonly card: DiskTableCard,
    private readonly tensors: readonly OpenTensor[],
    private readonly options: DiskTableOptions,
  ) {
    this.rowBytes = card.width * ITEM_BYTES[card.stored]
    const atOnce = (row: number, out: Uint8Array) => this.#atOnce(row, out)
    this.#reads = options.mayWait
      ? new CachedReads<Uint8Array, Uint8Array>(atOnce, (row) => this.#aside(row))
      : { read: (row, out) => void atOnce(row, out) as undefined }
  }

  /**
   * Reads `count` rows: `out[place(i) …]` gets the row `rowOf(i)`. What is in the page cache is read at once.
   *
   * @returns undefined where all of it was, or nothing may wait
   * @throws RowsUnreadable
   */
  read(
    count: number,
    rowOf: (i: number) => number,
    out: Uint8Array,
    place: (i: number) => number,
  ): Promise<void> | undefined {
    const places: number[] = []
    const waits: Promise<Uint8Array>[] = []
    for (let i = 0; i < count; i++) {
      const at = place(i)
      const bytes = this.#reads.read(rowOf(i), out.subarray(at, at + this.rowBytes))
      if (bytes === undefined) continue
      places.push(at)
      waits.push(bytes)
    }
    if (waits.length === 0) return undefined
    return Promise.all(waits).then((rows) => {
      for (const [w, bytes] of rows.entries()) out.set(bytes, places[w])
    })
  }

  /** Whether {@link read} may return a promise. */
  get mayWait(): boolean {
    return this.options.mayWait
  }

  #atOnce(row: number, out: Uint8Array): void {
    const { tensor, first } = this.#placeOf(row)
    let bytes = 0
    try {
      bytes = readSync(tensor.fd, out, 0, out.length, tensor.at + first * this.rowBytes)
    } catch (error) {
      throw this.#failure(tensor, first, error)
    }
    if (bytes < out.length) throw this.#failure(tensor, first)
  }

  /** Reads into memory of its own: the caller may have left when the bytes come. */
  #aside(row: number): Promise<Uint8Array> {
    const { tensor, first } = this.#placeOf(row)
    const out = Buffer.allocUnsafeSlow(this.rowBytes)
    const reading = new Promise<Uint8Array>((resolve, reject) =>
      readFile(tensor.fd, out, 0, out.length, tensor.at + first * this.rowBytes, (error, bytes) => {
        if (error === null && bytes === out.length) resolve(out)
        else reject(this.#failure(tensor, first, error))
      }),
    )
    reading.catch(() => {})
    return reading
  }

  /** The tensor with a row, and the row's number there. */
  #placeOf(row: number): { readonly tensor: OpenTensor; readonly first: number } {
    let first = row
    for (const tensor of this.tensors) {
      if (first < tensor.rows) return { tensor, first }
      first -= tensor.rows
    }
    throw new RangeError(`There is no row ${row} in a table of ${this.card.rows}.`)
  }

  #failure({ file, name }: OpenTensor, row: number, error: unknown = null): RowsUnreadable {
    const why = (error as NodeJS.ErrnoException | null)?.code ?? 'the file ends before'
    const rows = `rows ${row} to ${row} cannot be read: ${why}`
    const failure = new RowsUnreadable(`${file}, ${JSON.stringify(name)}: ${rows}`)
    this.options.failed?.(failure)
    return failure
  }
}
