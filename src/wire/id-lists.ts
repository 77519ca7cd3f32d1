import { SHOWN, shown } from '../errors.js'
import { Documents } from '../first-layer/windows/documents.js'
import type { DocumentMaker, Fault, GivenIds } from './given.js'

/** The largest int32. It also stands for every larger id: no table has a row for it, and no encoding a token. */
export const MAX_INT32 = 0x7fffffff

/** Why a value is no id; undefined where it is one. */
export function notAnId(value: unknown): string | undefined {
  if (!Number.isSafeInteger(value)) return 'must be an integer within ±(2^53 − 1)'
  return (value as number) < 0 ? 'must be at least 0' : undefined
}

/** Ids as a request gives them, one list or a list of lists: all ids one after the other, each list a document. */
export class IdLists implements GivenIds {
  readonly isText = false
  /** Whether the ids came as a list of lists. */
  isList = false
  fault: Fault | undefined
  #tooLarge: { place: number; id: number } | undefined

  /** @param documents where each list ends, among all ids */
  constructor(readonly documents = new Documents()) {}

  /** A value that is no list. */
  static faulty(message: string, value: unknown): IdLists {
    return Object.assign(new IdLists(), { fault: { path: [], message, given: shown(value) } })
  }

  inRows(rows: number): IdLists {
    const { ids } = this.documents
    const lists = new IdLists(new Documents(ids))
    for (let row = 1; row <= rows; row++) lists.documents.endDocument((row * ids.length) / rows)
    lists.isList = true
    lists.#tooLarge = this.#tooLarge
    return lists
  }

  /** An id as an int32; `place` is the place that it will have among all ids. */
  narrowed(id: number, place: number): number {
    if (id <= MAX_INT32) return id
    this.#tooLarge ??= { place, id }
    return MAX_INT32
  }

  /** Correct up to the first id, inclusive, that is larger than an int32. */
  at(place: number): number {
    return place === this.#tooLarge?.place ? this.#tooLarge.id : this.documents.ids.at(place)
  }

  pathOf(place: number): string {
    if (!this.isList) return String(place)
    const document = this.documents.documentAt(place)
    return `${document}.${place - this.documents.start(document)}`
  }

  get count(): number {
    return this.documents.count
  }

  get length(): number {
    return this.documents.totalTokens
  }

  get [SHOWN](): string {
    if (this.fault?.path.length === 0) return this.fault.given!
    return `an array of ${this.isList ? this.count : this.length}`
  }

  /** Bytes of the ids and of the documents. */
  get byteLength(): number {
    return this.documents.ids.byteLength + 8 * this.documents.count
  }

  makeDocuments<Made>(maker: DocumentMaker<Made>): Made {
    return maker.ofIds(this)
  }

  letGo(): number {
    return 0
  }
}
