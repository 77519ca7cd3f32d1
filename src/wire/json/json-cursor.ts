import type { InletError } from '../../errors.js'
import { Reserved } from '../../first-layer/reserved.js'
import { PAUSE, type Steps } from '../../first-layer/steps.js'
import {
  BACKSLASH,
  CLOSE_LIST,
  CLOSE_OBJECT,
  COLON,
  COMMA,
  isDigit,
  isSpace,
  OPEN_LIST,
  OPEN_OBJECT,
  PLAIN,
  QUOTE,
} from './characters.js'
import { invalidJson } from './invalid-json.js'
import { MAX_KEYS, MAX_SHORT_BYTES, tooLong, tooManyKeys } from './json-bounds.js'
import { stringEnd, valueEnd } from './value-end.js'

/** Bytes of JSON read in one step: a tenth of a millisecond. */
export const STEP_BYTES = 16_384
/** Most bytes kept per byte of JSON: of `"",` 16 bytes are kept. */
const KEPT_PER_BYTE = 6

/** Reads one value that may be as long as the body, step by step. */
export interface LongReader<Value> {
  readonly isDone: boolean
  /** Bytes that the reader keeps of the value so far, besides the body. */
  readonly byteLength: number
  /**
   * Reads on from `at` to about `stop`, at most {@link STEP_BYTES} further.
   * @returns the place up to which it has read
   */
  step(at: number, stop: number): number
  /** Gives the value on, once all is read. */
  finish(give: (value: Value) => void): Rest
}

/** Bytes of the longest word that is kept. */
const WORD_BYTES = 32
/** Digits of the longest number that is read without JSON.parse: all such numbers are exact. */
const FEW_DIGITS = 9
/** Words of earlier bodies, at a place that their bytes tell: names of fields are always the same few. */
const words: string[] = new Array(512).fill('')

function isWord(word: string, bytes: Buffer, start: number, end: number): boolean {
  if (word.length !== end - start) return false
  for (let i = 0; i < word.length; i++) if (word.charCodeAt(i) !== bytes[start + i]) return false
  return true
}

/**
 * Work that is done at once where it can be, which a small body's always is: undefined then, else the steps that
 * remain. A small request makes no generator for each of its members.
 */
export type Rest = Steps<unknown> | undefined

/** Called at a value: moves the cursor behind it. */
type ReadValue<Place extends unknown[]> = (...place: Place) => Rest

/** An object or a list that is being read. */
class Container {
  /** Members or elements so far. */
  count = 0
  awaited: 'first' | 'next' | 'colon' | 'value' | 'comma' = 'first'
  /** The member's key, and where it begins. */
  key = ''
  start = 0

  constructor(
    readonly close: typeof CLOSE_OBJECT | typeof CLOSE_LIST,
    readonly readValue: (container: Container) => Rest,
    readonly most: number,
    readonly field?: string,
  ) {}
}

/** Bytes of short members and elements between two pauses: at most a quarter of a millisecond. */
const PAUSE_BYTES = 4096
/** A body up to this length is read without a pause, and without reserving: 0.1 ms of work. */
const SMALL_BYTES = STEP_BYTES

/** A place in a body of JSON that moves forward over its values. The body is UTF-8. */
export class JsonCursor {
  at = 0
  #paused = 0
  /** Bytes reserved for the values of long readers. */
  reserved = 0

  constructor(
    readonly bytes: Buffer,
    readonly maxDocuments: number,
  ) {}

  /** Whether the body is so short that its reader never pauses. */
  get isSmall(): boolean {
    return this.bytes.length <= SMALL_BYTES
  }

  /** The byte here; undefined at the end of the body. */
  get byte(): number | undefined {
    return this.bytes[this.at]
  }

  /** Moves behind white space, at most {@link STEP_BYTES} of it: `while (cursor.skipSpace()) yield PAUSE`. */
  skipSpace(): boolean {
    const { bytes } = this
    if (!isSpace(bytes[this.at])) return false
    const stop = Math.min(this.at + STEP_BYTES, bytes.length)
    let at = this.at
    while (at < stop && isSpace(bytes[at])) at++
    this.at = at
    return at === stop && at < bytes.length
  }

  /** Whether enough has been read since the last pause. */
  #isPauseDue(): boolean {
    if (this.at - this.#paused < PAUSE_BYTES || this.isSmall) return false
    this.#paused = this.at
    return true
  }

  /** Moves behind a byte, where it stands here. */
  take(byte: number): boolean {
    if (this.bytes[this.at] !== byte) return false
    this.at++
    return true
  }

  /** Moves behind a byte. @throws InletError `invalid_json` where another one stands here */
  expect(byte: number): void {
    if (!this.take(byte)) throw this.invalid()
  }

  invalid(): InletError {
    return invalidJson(this.bytes, this.at)
  }

  /**
   * Reads the object that begins here.
   *
   * @param read gets each member's key, and where the key begins
   * @param field of the object, for messages
   * @param most members
   */
  members(read: ReadValue<[key: string, start: number]>, field?: string, most: number = MAX_KEYS): Rest {
    this.expect(OPEN_OBJECT)
    return this.#readOn(new Container(CLOSE_OBJECT, ({ key, start }) => read(key, start), most, field))
  }

  /** Reads the list that begins here. @param read gets each element's index */
  elements(read: ReadValue<[index: number]>): Rest {
    this.expect(OPEN_LIST)
    return this.#readOn(new Container(CLOSE_LIST, ({ count }) => read(count - 1), Number.POSITIVE_INFINITY))
  }

  #readOn(container: Container): Rest {
    const wait = this.#readWhile(container)
    return wait === undefined ? undefined : this.#readRest(container, wait)
  }

  *#readRest(container: Container, first: Steps<unknown> | typeof PAUSE): Steps<void> {
    for (let wait: typeof first | undefined = first; wait !== undefined; wait = this.#readWhile(container)) {
      if (wait === PAUSE) yield PAUSE
      else yield* wait
    }
  }

  /** Reads up to the container's end, which gives undefined, or up to a pause or an element that has steps. */
  #readWhile(container: Container): Steps<unknown> | typeof PAUSE | undefined {
    for (;;) {
      if (this.skipSpace()) return PAUSE
      switch (container.awaited) {
        case 'first':
          if (this.take(container.close)) return undefined
          container.awaited = 'next'
          break
        case 'next':
          if (++container.count > container.most) throw tooManyKeys(container.field)
          container.awaited = 'value'
          if (container.close === CLOSE_OBJECT) this.#readKey(container)
          if (this.#isPauseDue()) return PAUSE // short members are 16 MiB together at most
          break
        case 'colon':
          this.expect(COLON)
          container.awaited = 'value'
          break
        case 'value': {
          container.awaited = 'comma'
          const steps = container.readValue(container)
          if (steps !== undefined) return steps
          break
        }
        case 'comma':
          if (this.take(container.close)) return undefined
          this.expect(COMMA)
          container.awaited = 'next'
      }
    }
  }

  #readKey(object: Container): void {
    const { at: start } = this
    if (this.byte !== QUOTE) throw this.invalid()
    object.start = start
    object.key =
      this.#word() ??
      (this.#parsed(stringEnd(this.bytes, start, start + MAX_SHORT_BYTES, object.field)) as string)
    object.awaited = 'colon'
  }

  /** The short value that begins here. @param depth levels that are open around it */
  short(field: string | undefined, depth: number): unknown {
    return this.#word() ?? this.#size() ?? this.#parsed(valueEnd(this.bytes, this.at, field, depth))
  }

  /** Reads the value that begins here by its own reader, and gives it on. */
  long<Value>(reader: LongReader<Value>, give: (value: Value) => void): Rest {
    if (!this.isSmall) return this.#longInSteps(reader, give)
    const { bytes } = this
    while (!reader.isDone) {
      if (this.at >= bytes.length) throw this.invalid()
      this.at = reader.step(this.at, bytes.length)
    }
    return reader.finish(give)
  }

  *#longInSteps<Value>(reader: LongReader<Value>, give: (value: Value) => void): Steps<void> {
    const { bytes } = this
    const reserved = new Reserved()
    while (!reader.isDone) {
      if (this.at >= bytes.length) throw this.invalid()
      const ahead = Math.min(STEP_BYTES, bytes.length - this.at) * KEPT_PER_BYTE
      const more = reserved.reach(reader.byteLength + ahead)
      if (more > 0) yield more
      this.at = reader.step(this.at, Math.min(this.at + STEP_BYTES, bytes.length))
      yield PAUSE
    }
    yield -reserved.settle(reader.byteLength)
    this.reserved += reserved.bytes
    const rest = reader.finish(give)
    if (rest !== undefined) yield* rest
  }

  /** The value that begins here, which must be short; what {@link skip} does not check, JSON.parse does. */
  *value(field: string): Steps<unknown> {
    const start = this.at
    yield* this.skip()
    if (this.at - start > MAX_SHORT_BYTES) throw tooLong(field)
    try {
      return JSON.parse(this.bytes.toString('utf8', start, this.at))
    } catch {
      throw invalidJson(this.bytes, start)
    }
  }

  /** Moves behind the value that begins here, which may be of any length and depth: its strings and brackets must end. */
  *skip(): Steps<void> {
    const { bytes, byte: first } = this
    if (first === undefined || first === COMMA || first === CLOSE_LIST || first === CLOSE_OBJECT) {
      throw this.invalid()
    }
    let depth = 0
    let isInString = false
    let at = this.at
    const ends = (end: number): void => {
      this.at = end
    }
    for (;;) {
      const stop = Math.min(at + STEP_BYTES, bytes.length)
      while (at < stop) {
        const byte = bytes[at]
        if (isInString) {
          if (PLAIN[byte] === 1) at++
          else if (byte === BACKSLASH) at += 2
          else if (byte === QUOTE) {
            isInString = false
            at++
            if (depth === 0) return ends(at)
          } else throw invalidJson(bytes, at)
          continue
        }
        if (byte === QUOTE) isInString = true
        else if (byte === OPEN_LIST || byte === OPEN_OBJECT) depth++
        else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) {
          if (depth === 0) return ends(at)
          if (--depth === 0) return ends(at + 1)
        } else if (depth === 0 && (byte === COMMA || isSpace(byte))) return ends(at)
        at++
      }
      if (at >= bytes.length) throw invalidJson(bytes, bytes.length)
      yield PAUSE
    }
  }

  /** The string that begins here, where it is one of a few short words; moves behind it. */
  #word(): string | undefined {
    const { bytes, at } = this
    if (bytes[at] !== QUOTE) return undefined
    let hash = 0
    let end = at + 1
    const limit = end + WORD_BYTES
    for (; end < limit; end++) {
      const byte = bytes[end]
      if (byte === QUOTE) break
      if (byte === undefined || byte >= 0x80 || PLAIN[byte] !== 1) return undefined
      hash = (Math.imul(hash, 31) + byte) | 0
    }
    if (bytes[end] !== QUOTE) return undefined
    const slot = hash & (words.length - 1)
    const word = words[slot]!
    if (!isWord(word, bytes, at + 1, end)) words[slot] = bytes.toString('latin1', at + 1, end)
    this.at = end + 1
    return words[slot]
  }

  /** The number that begins here, where it is one of few digits and nothing else; moves behind it. */
  #size(): number | undefined {
    const { bytes, at } = this
    let end = at
    let size = 0
    while (isDigit(bytes[end]) && end < at + FEW_DIGITS) size = size * 10 + bytes[end++] - 0x30
    if (end === at || (bytes[at] === 0x30 && end > at + 1)) return undefined
    const next = bytes[end]
    if (next !== COMMA && next !== CLOSE_OBJECT && next !== CLOSE_LIST) return undefined
    this.at = end
    return size
  }

  /** The value that stands from here to `end`; moves there. */
  #parsed(end: number): unknown {
    const json = this.bytes.toString('utf8', this.at, end)
    this.at = end
    return JSON.parse(json)
  }
}
