import { shown } from '../../errors.js'
import type { Fault } from '../given.js'
import { IdLists, notAnId } from '../id-lists.js'
import { CLOSE_LIST, COMMA, isDigit, isSpace, OPEN_LIST } from './characters.js'
import { invalidJson } from './invalid-json.js'
import { MAX_SHORT_BYTES, tooManyDocuments } from './json-bounds.js'
import { STEP_BYTES } from './json-place.js'
import type { LongReader } from './long-reader.js'
import { numberEnd, valueEnd } from './value-end.js'

/** Most digits of an id that the fast loop reads: numbers below 10^15 are exact in double. */
const FEW_DIGITS = 15

/** Ids of one step. All readers share it, since steps never overlap. An id takes at least two bytes of JSON. */
const stepIds = new Int32Array(STEP_BYTES)

/**
 * Reads a list of ids, or a list of such lists, straight into int32. It keeps the first fault of the ids and
 * reads on, without keeping later ids, because invalid JSON behind the fault must be reported first.
 */
export class IdReader implements LongReader<IdLists> {
  readonly #lists = new IdLists()
  #awaited: 'value' | 'first value or end' | 'comma or end' = 'value'
  /** How many lists are open; −1 after the outer list has ended. */
  #level = 0
  /** The level that ids stand on: 1 or 2, 0 until the first element shows it. */
  #idLevel = 0
  /** Elements of the outer list, if it is a list of lists. */
  #elements = 0

  /**
   * @param field name of the field, for messages
   * @param maxDocuments most inner lists; 0: a list of lists is refused
   */
  constructor(
    private readonly bytes: Buffer,
    private readonly field: string,
    private readonly maxDocuments: number,
  ) {}

  get isDone(): boolean {
    return this.#level < 0
  }

  get byteLength(): number {
    return this.#lists.byteLength
  }

  finish(give: (lists: IdLists) => void): undefined {
    give(this.#lists)
  }

  step(from: number, stop: number): number {
    const { bytes } = this
    const lists = this.#lists
    const before = lists.documents.ids.length
    let count = 0
    let at = from
    while (at < stop && this.#level >= 0) {
      const byte = bytes[at]
      if (this.#level === this.#idLevel && this.#awaited !== 'comma or end' && isDigit(byte)) {
        let id = byte - 0x30
        let end = at + 1
        if (id !== 0) while (isDigit(bytes[end]) && end < at + FEW_DIGITS) id = id * 10 + bytes[end++] - 0x30
        const next = bytes[end]
        if (next === COMMA || next === CLOSE_LIST || isSpace(next)) {
          if (lists.fault === undefined) {
            stepIds[count] = lists.narrowed(id, before + count)
            count++
          }
          at = next === COMMA ? end + 1 : end
          this.#awaited = next === COMMA ? 'value' : 'comma or end'
          continue
        }
      }
      if (isSpace(byte)) {
        at++
      } else if (byte === CLOSE_LIST && this.#awaited !== 'value') {
        this.#closeList(before + count)
        at++
      } else if (this.#awaited === 'comma or end') {
        if (byte !== COMMA) throw invalidJson(bytes, at)
        this.#awaited = 'value'
        at++
      } else if (this.#opensList(byte)) {
        this.#level++
        this.#awaited = 'first value or end'
        at++
      } else {
        const end = this.#valueEnd(at)
        const id = this.#idOf(at, end, before + count)
        if (id !== undefined) {
          stepIds[count] = lists.narrowed(id, before + count)
          count++
        }
        this.#awaited = 'comma or end'
        at = end
      }
    }
    lists.documents.ids.append(stepIds.subarray(0, count))
    return at
  }

  /**
   * Whether a list begins here that may hold ids or lists; notes at the first element which of the two the outer
   * list holds.
   */
  #opensList(byte: number): boolean {
    if (this.#level === 0) return true // the caller has seen its bracket
    if (this.#idLevel === 0) {
      this.#lists.isList = byte === OPEN_LIST && this.maxDocuments > 0
      this.#idLevel = this.#lists.isList ? 2 : 1
    }
    if (this.#level === this.#idLevel) return false
    if (this.#elements++ >= this.maxDocuments) throw tooManyDocuments(this.field, this.maxDocuments)
    return byte === OPEN_LIST
  }

  /** @param end ids of all lists so far */
  #closeList(end: number): void {
    const { documents } = this.#lists
    if (this.#level === this.#idLevel || this.#idLevel === 0) {
      const isEmpty = end === documents.totalTokens
      if (isEmpty) {
        this.#refuse({
          path: this.#listPath(),
          message: 'must not be empty',
          code: 'empty_input',
          given: shown([]),
        })
      }
      if (this.#lists.fault === undefined) documents.endDocument(end)
    }
    this.#level = this.#level === 1 ? -1 : 1
    this.#awaited = 'comma or end'
  }

  #valueEnd(at: number): number {
    const byte = this.bytes[at]
    if (!isDigit(byte) && byte !== 0x2d) return valueEnd(this.bytes, at, this.field, this.#level + 1)
    return numberEnd(this.bytes, at, at + MAX_SHORT_BYTES, this.field)
  }

  /** A value as an id: `1e3` is one. Any other value is kept as the fault, if it is the first. */
  #idOf(at: number, end: number, place: number): number | undefined {
    if (this.#lists.fault !== undefined) return undefined
    const value: unknown = JSON.parse(this.bytes.toString('utf8', at, end))
    const isList = this.#level < this.#idLevel
    const message = isList ? 'must be an array of integers' : notAnId(value)
    if (message === undefined) return value as number
    const inList = place - this.#lists.documents.totalTokens
    this.#refuse({
      path: isList ? this.#listPath() : [...this.#listPath(), inList],
      message,
      given: shown(value),
    })
    return undefined
  }

  /** The path of the inner list that is open or comes next; empty where there is only one list. */
  #listPath(): number[] {
    return this.#idLevel === 2 ? [this.#elements - 1] : []
  }

  #refuse(fault: Fault): void {
    this.#lists.fault ??= fault
  }
}
