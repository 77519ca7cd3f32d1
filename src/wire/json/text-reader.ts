import { shown } from '../../errors.js'
import type { Steps } from '../../first-layer/steps.js'
import { Offsets } from '../../first-layer/windows/offsets.js'
import type { Fault, GivenTexts } from '../given.js'
import { BACKSLASH, CLOSE_LIST, COMMA, isSpace, OPEN_LIST, PLAIN, QUOTE } from './characters.js'
import { escapedPair, escapedUnit, escapeLength, isSurrogate, utf16Units } from './escapes.js'
import { invalidJson } from './invalid-json.js'
import { tooManyDocuments } from './json-bounds.js'
import type { Rest } from './json-place.js'
import { JsonTexts } from './json-texts.js'
import type { LongReader } from './long-reader.js'
import { contentEnd, FEW_BYTES } from './string-content.js'
import { valueEnd } from './value-end.js'

type Awaited = 'value' | 'first value or end' | 'rest of a string' | 'comma or end' | 'nothing'

/** Levels of JSON around the elements of the list. */
const DEPTH = 2

/** A surrogate without its partner, and the byte at which its escape begins. */
interface Lone {
  readonly element: number
  readonly at: number
  readonly unit: number
}

const EMPTY = { message: 'must not be empty', code: 'empty_input' } as const

/**
 * Reads a string, or a list of strings, as places in the body. It keeps the first fault of their contents and
 * reads on, because invalid JSON behind the fault must be reported first.
 */
export class TextReader implements LongReader<GivenTexts> {
  readonly #starts = new Offsets()
  readonly #ends = new Offsets()
  #awaited: Awaited = 'value'
  #isList = false
  #elements = 0
  #lone: Lone | undefined
  #empty: number | undefined
  /** The first element that is no string; those behind it are not checked. */
  #other: Fault | undefined

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

  /** A lone surrogate is reported first, then an empty text, then an element that is no string. */
  finish(give: (texts: GivenTexts) => void): Rest {
    if (this.#lone !== undefined) return this.#giveLone(this.#lone, give)
    if (this.#empty !== undefined) {
      give(this.#texts({ path: this.#path(this.#empty), ...EMPTY, given: shown('') }))
    } else {
      const none = this.#elements === 0 ? { path: [], ...EMPTY, given: shown([]) } : undefined
      give(this.#texts(this.#other ?? none))
    }
    return undefined
  }

  *#giveLone({ element, at, unit }: Lone, give: (texts: GivenTexts) => void): Steps<void> {
    const index = yield* utf16Units(this.bytes, this.#starts.at(element), at)
    const surrogate = unit.toString(16).toUpperCase()
    const message = `must be Unicode text: a lone surrogate U+${surrogate} stands at UTF-16 index ${index}`
    give(this.#texts({ path: this.#path(element), message, code: 'invalid_unicode' }))
  }

  #texts(fault: Fault | undefined): GivenTexts {
    return new JsonTexts(this.bytes, this.#starts, this.#ends, this.#isList, fault)
  }

  #path(element: number): number[] {
    return this.#isList ? [element] : []
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
    if (this.#elements++ >= this.maxDocuments) throw tooManyDocuments(this.field, this.maxDocuments)
    if (byte !== QUOTE) return this.#readOther(at)
    if (this.#other === undefined) this.#starts.push(at + 1)
    this.#awaited = 'rest of a string'
    return at + 1
  }

  #readOther(at: number): number {
    const end = valueEnd(this.bytes, at, this.field, DEPTH)
    if (this.#other === undefined) {
      const given = shown(JSON.parse(this.bytes.toString('utf8', at, end)))
      this.#other = { path: [this.#elements - 1], message: 'must be a string', given }
    }
    this.#awaited = 'comma or end'
    return end
  }

  #readString(from: number, stop: number): number {
    const { bytes } = this
    let at = from
    let few = Math.min(from + FEW_BYTES, stop) // up to there byte by byte
    for (;;) {
      if (at >= few && at < stop) {
        at = contentEnd(bytes, at, stop)
        few = Math.min(at + FEW_BYTES, stop)
      }
      while (at < few && PLAIN[bytes[at]] === 1) at++
      if (at >= stop) return at
      if (at >= few) continue
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
