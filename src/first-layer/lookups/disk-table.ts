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
  /** Whether {@link read} may return a promise. */
  readonly mayWait: boolean
  readonly #reads: Pick<CachedReads<Uint8Array, Uint8Array>, 'read'>

  constructor(
    readonly card: DiskTableCard,
    private readonly tensors: readonly OpenTensor[],
    private readonly options: DiskTableOptions,
  ) {
    this.rowBytes = card.width * ITEM_BYTES[card.stored]
    this.mayWait = options.mayWait
    const atOnce = (row: number, out: Uint8Array): undefined => this.#atOnce(row, out)
    this.#reads = this.mayWait
      ? new CachedReads<Uint8Array, Uint8Array>(atOnce, (row) => this.#aside(row))
      : { read: atOnce }
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
  ): Promise<unknown> | undefined {
    const waits: Promise<void>[] = []
    for (let i = 0; i < count; i++) {
      const at = place(i)
      const bytes = this.#reads.read(rowOf(i), out.subarray(at, at + this.rowBytes))
      if (bytes === undefined) continue
      const wait = bytes.then((row) => out.set(row, at))
      wait.catch(() => {}) // where a later row is refused at once, nobody waits for it
      waits.push(wait)
    }
    return waits.length === 0 ? undefined : Promise.all(waits)
  }

  #atOnce(row: number, out: Uint8Array): undefined {
    const { fd, at, failure } = this.#placeOf(row)
    let bytes = 0
    try {
      bytes = readSync(fd, out, 0, out.length, at)
    } catch (error) {
      throw failure(error)
    }
    if (bytes < out.length) throw failure()
  }

  /** Reads into memory of its own: the caller may have left when the bytes come. */
  #aside(row: number): Promise<Uint8Array> {
    const { fd, at, failure } = this.#placeOf(row)
    const out = Buffer.allocUnsafeSlow(this.rowBytes)
    return new Promise<Uint8Array>((resolve, reject) =>
      readFile(fd, out, 0, out.length, at, (error, bytes) => {
        if (error === null && bytes === out.length) resolve(out)
        else reject(failure(error))
      }),
    )
  }

  /** Where a row is, and the error if it cannot be read. */
  #placeOf(row: number) {
    let first = row
    for (const { fd, file, name, at, rows } of this.tensors) {
      if (first >= rows) {
        first -= rows
        continue
      }
      const failure = (error: unknown = null) => {
        const why = (error as NodeJS.ErrnoException | null)?.code ?? 'the file ends before'
        const message = `rows ${first} to ${first} cannot be read: ${why}`
        const failed = new RowsUnreadable(`${file}, ${JSON.stringify(name)}: ${message}`)
        this.options.failed?.(failed)
        return failed
      }
      return { fd, at: at + first * this.rowBytes, failure }
    }
    throw new RangeError(`There is no row ${row} in a table of ${this.card.rows}.`)
  }
}
