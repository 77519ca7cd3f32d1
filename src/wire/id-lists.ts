import type { ErrorCode } from '../errors.js'
import { Documents } from '../windows/documents.js'

/** What an int32 holds; larger ids stand as this one, which no table and no encoding has a row for. */
export const MAX_INT32 = 0x7fffffff

/** The first thing that is wrong with ids. */
export interface IdFault {
  /** Where, within the field: `[1, 0]`. */
  readonly path: readonly number[]
  readonly message: string
  readonly code?: ErrorCode
  /** What stands there. */
  readonly value: unknown
}

/** Why a value is no id; undefined where it is one. */
export function notAnId(value: unknown): string | undefined {
  if (!Number.isSafeInteger(value)) return 'must be an integer within ±(2^53 − 1)'
  return (value as number) < 0 ? 'must be at least 0' : undefined
}

/** Ids as a request gives them, one list or a list of lists: all ids one after the other, each list a document. */
export class IdLists {
  readonly documents = new Documents()
  /** Whether they came as a list of lists. */
  isNested = false
  fault: IdFault | undefined
  #tooLarge: { place: number; id: number } | undefined

  /** The id `id`, which will be the one at `place` of all ids, as an int32. */
  narrowed(id: number, place: number): number {
    if (id <= MAX_INT32) return id
    this.#tooLarge ??= { place, id }
    return MAX_INT32
  }

  /** The id at `place` of all ids, as it was given; right up to the first one that an int32 does not hold. */
  at(place: number): number {
    return place === this.#tooLarge?.place ? this.#tooLarge.id : this.documents.ids.at(place)
  }

  /** Where the id at `place` of all ids stands in the field: `3`, or `0.3` in a list of lists. */
  pathOf(place: number): string {
    if (!this.isNested) return String(place)
    const document = this.documents.documentAt(place)
    return `${document}.${place - this.documents.start(document)}`
  }

  /** Ids of all lists. */
  get length(): number {
    return this.documents.totalTokens
  }

  /** As `shown` shows an array. */
  get shown(): string {
    return `an array of ${this.isNested ? this.documents.count : this.documents.totalTokens}`
  }

  /** Bytes of the ids and of the documents. */
  get byteLength(): number {
    return this.documents.ids.byteLength + 8 * this.documents.count
  }
}
