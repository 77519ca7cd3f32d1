import { Offsets } from '../../first-layer/windows/offsets.js'
import type { Pace } from '../../turn.js'
import { outOfBounds } from './bounds.js'
import { BACKSLASH, CLOSE_LIST, COMMA, isSpace, OPEN_LIST, PLAIN, QUOTE } from './characters.js'
import { escapedPair, escapedUnit, escapeLength, isSurrogate } from './escapes.js'
import { invalidJson } from './invalid-json.js'
import type { LongReader } from './long-reader.js'
import { LongText } from './long-text.js'
import { LongTexts, type TextFaults } from './long-texts.js'
import { utf16Units } from './utf16-units.js'
import { valueEnd } from './value-end.js'

/** What must come next. */
type Awaited = 'value' | 'first value or end' | 'rest of a string' | 'comma or end' | 'nothing'

/** Levels of JSON around the elements of the list. */
const DEPTH = 2

interface Lone {
  readonly element: number
  readonly at: number
  readonly unit: number
}

/**
 * Reads a string, or a list of strings, as places in the body. It keeps the first fault of their contents and
 * reads on, because invalid JSON behind the fault must be reported first.
 */
export class TextReader implements LongReader {
  readonly #starts = new Offsets()
  readonly #ends = new Offsets()
  #awaited: Awaited = 'value'
  #isList = false
  #elements = 0
  #lone: Lone | undefined
  #empty: number | undefined
  #other: TextFaults['other']

  /** @param field name of the field, for messages */
  constructor(
    private readonly bytes: Buffer,
    private readonly field: string,
    private readonly maxDocuments: number,
  ) {}

  get isDone(): boolean {
    return this.#awaited === 'nothing'
  }

  get byteLength(): number {
    return 16 * this.#starts.length
  }

  step(from: number, stop: number): number {
    let at = from
    while (at < stop && this.#awaited !== 'nothing') {
      if (this.#awaited === 'rest of a string') at = this.#readString(at, stop)
      else at = this.#readBetween(at)
    }
    return at
  }

  async finish(pace: Pace): Promise<LongText | LongTexts> {
    const lone = this.#lone && {
      element: this.#lone.element,
      index: await utf16Units(this.bytes, this.#starts.at(this.#lone.element), this.#lone.at, pace),
      unit: this.#lone.unit,
    }
    if (!this.#isList) return new LongText(this.bytes, this.#starts.at(0), this.#ends.at(0), lone)
    const faults = { lone, empty: this.#empty, other: this.#other }
    return new LongTexts(this.bytes, this.#starts, this.#ends, faults)
  }

  /** Reads one byte (white space, a bracket, a comma or a quote), or a whole value that is no string. */
  #readBetween(at: number): number {
    const byte = this.bytes[at]
    if (isSpace(byte)) return at + 1
    if (this.#awaited === 'comma or end') {
      if (byte === COMMA) this.#awaited = 'value'
      else if (byte === CLOSE_LIST) this.#awaited = 'nothing'
      else throw invalidJson(this.bytes, at)
      return at + 1
    }
    if (byte === OPEN_LIST && !this.#isList) {
      this.#isList = true
      this.#awaited = 'first value or end'
      return at + 1
    }
    if (byte === CLOSE_LIST && this.#awaited === 'first value or end') {
      this.#awaited = 'nothing'
      return at + 1
    }
    if (this.#elements++ >= this.maxDocuments) {
      throw outOfBounds(this.field, `have at most ${this.maxDocuments} documents (MAX_DOCUMENTS)`)
    }
    if (byte !== QUOTE) return this.#readOther(at)
    if (this.#other === undefined) this.#starts.push(at + 1)
    this.#awaited = 'rest of a string'
    return at + 1
  }

  #readOther(at: number): number {
    const end = valueEnd(this.bytes, at, this.field, DEPTH)
    this.#other ??= {
      element: this.#elements - 1,
      value: JSON.parse(this.bytes.toString('utf8', at, end)),
    }
    this.#awaited = 'comma or end'
    return end
  }

  #readString(from: number, stop: number): number {
    const { bytes } = this
    let at = from
    for (;;) {
      while (at < stop && PLAIN[bytes[at]] === 1) at++
      if (at >= stop) return at
      if (bytes[at] === BACKSLASH) at = this.#readEscape(at)
      else if (bytes[at] === QUOTE) return this.#endString(at)
      else throw invalidJson(bytes, at)
    }
  }

  #readEscape(at: number): number {
    const unit = escapedUnit(this.bytes, at)
    if (!isSurrogate(unit)) return at + escapeLength(this.bytes, at)
    if (escapedPair(this.bytes, at, unit) >= 0) return at + 12
    if (this.#other === undefined) this.#lone ??= { element: this.#elements - 1, at, unit }
    return at + 6
  }

  #endString(quote: number): number {
    if (this.#other === undefined) {
      if (this.#starts.at(this.#starts.length - 1) === quote) this.#empty ??= this.#elements - 1
      this.#ends.push(quote)
    }
    this.#awaited = this.#isList ? 'comma or end' : 'nothing'
    return quote + 1
  }
}
