import { SHOWN } from '../errors.js'
import { Documents } from './documents.js'

/** The largest int32. It also stands for every larger id: no table has a row for it, and no encoding a token. */
export const MAX_INT32 = 0x7fffffff

/** Why a value is no id; undefined where it is one. */
export function notAnId(value: unknown): string | undefined {
  if (!Number.isSafeInteger(value)) return 'must be an integer within ±(2^53 − 1)'
  return (value as number) < 0 ? 'must be at least 0' : undefined
}

/** Ids as a request gives them, one list or a list of lists: all ids one after the other, each list a document. */
export class IdLists {
  #tooLarge: { place: number; id: number } | undefined

  /** @param isList whether the ids came as a list of lists @param documents where each list ends, among all ids */
  constructor(
    readonly isList = false,
    readonly documents = new Documents(),
  ) {}

  /** Adds a list. @returns the place in it of the first value that is no id; −1: all are */
  add(list: ArrayLike<unknown>): number {
    const wrong = this.append(list)
    if (wrong < 0) this.documents.endDocument()
    return wrong
  }

  /** Appends ids of a list to come, as {@link add}. */
  append(list: ArrayLike<unknown>): number {
    const { ids } = this.documents
    const narrowed = new Int32Array(list.length)
    for (let i = 0; i < list.length; i++) {
      const id = list[i] as number
      if (notAnId(id) !== undefined) return i
      if (id > MAX_INT32) this.#tooLarge ??= { place: ids.length + i, id }
      narrowed[i] = Math.min(id, MAX_INT32)
    }
    ids.append(narrowed)
    return -1
  }

  /** The same ids as `rows` lists of equal length. There must be ids for all of them. */
  inRows(rows: number): IdLists {
    const { ids } = this.documents
    const lists = new IdLists(true, new Documents(ids))
    for (let row = 1; row <= rows; row++) lists.documents.endDocument((row * ids.length) / rows)
    lists.#tooLarge = this.#tooLarge
    return lists
  }

  /** The id at `place` among all ids, as given. Correct up to the first id, inclusive, that is larger than an int32. */
  at(place: number): number {
    return place === this.#tooLarge?.place ? this.#tooLarge.id : this.documents.ids.at(place)
  }

  /** The path within the field of the id at `place` among all ids: `3`, or `0.3` in a list of lists. */
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
    return `an array of ${this.isList ? this.count : this.length}`
  }
}
