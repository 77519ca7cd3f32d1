import type { ErrorCode } from '../errors.js'
import { Documents } from '../first-layer/windows/documents.js'

/** The largest int32. It also stands for every larger id: no table has a row for it, and no encoding a token. */
export const MAX_INT32 = 0x7fffffff

/** The first thing that is wrong with ids. */
export interface IdFault {
  /** Where, within the field: `[1, 0]`. */
  readonly path: readonly number[]
  readonly message: string
  readonly code?: ErrorCode
  /** The wrong value. */
  readonly value: unknown
}

/** Why a value is no id; undefined where it is one. */
export function notAnId(value: unknown): string | undefined {
  if (!Number.isSafeInteger(value)) return 'must be an integer within ±(2^53 − 1)'
  return (value as number) < 0 ? 'must be at least 0' : undefined
}

/** Ids as a request gives them, one list or a list of lists: all ids one after the other, each list a document. */
export class IdLists {
  /** Whether the ids came as a list of lists. */
  isNested = false
  fault: IdFault | undefined
  #tooLarge: { place: number; id: number } | undefined

  /** @param documents where each list ends, among all ids */
  constructor(readonly documents = new Documents()) {}

  /** The same ids as `rows` lists of equal length. There must be ids for all of them. */
  inRows(rows: number): IdLists {
    const { ids } = this.documents
    const lists = new IdLists(new Documents(ids))
    for (let row = 1; row <= rows; row++) lists.documents.endDocument((row * ids.length) / rows)
    lists.isNested = true
    lists.#tooLarge = this.#tooLarge
    return lists
  }

  /** An id as an int32; `place` is the place that it will have among all ids. */
  narrowed(id: number, place: number): number {
    if (id <= MAX_INT32) return id
    this.#tooLarge ??= { place, id }
    return MAX_INT32
  }

  /**
   * The id at `place` among all ids, as given. Correct up to the first id, inclusive, that is larger than an
   * int32.
   */
  at(place: number): number {
    return place === this.#tooLarge?.place ? this.#tooLarge.id : this.documents.ids.at(place)
  }

  /** The path within the field of the id at `place` among all ids: `3`, or `0.3` in a list of lists. */
  pathOf(place: number): string {
    if (!this.isNested) return String(place)
    const document = this.documents.documentAt(place)
    return `${document}.${place - this.documents.start(document)}`
  }

  /** Ids of all lists. */
  get length(): number {
    return this.documents.totalTokens
  }

  /** The ids as `shown` (errors.ts) shows an array. */
  get shown(): string {
    return `an array of ${this.isNested ? this.documents.count : this.documents.totalTokens}`
  }

  /** Bytes of the ids and of the documents. */
  get byteLength(): number {
    return this.documents.ids.byteLength + 8 * this.documents.count
  }
}
