import type { InletError } from '../../errors.js'
import { Reserved } from '../../first-layer/reserved.js'
import { PAUSE, type Steps } from '../../first-layer/steps.js'
import {
  BACKSLASH,
  CLOSE_LIST,
  CLOSE_OBJECT,
  COLON,
  COMMA,
  isSpace,
  OPEN_LIST,
  OPEN_OBJECT,
  PLAIN,
  QUOTE,
} from './characters.js'
import { invalidJson, MAX_KEYS, MAX_SHORT_BYTES, tooLong, tooManyKeys } from './json-errors.js'
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
  /** The value, once all is read. */
  finish(): Steps<Value>
}

/** Bytes of the longest word that is kept. */
const WORD_BYTES = 32
/** Words of earlier bodies, at a place that their bytes tell: names of fields are always the same few. */
const words: string[] = new Array(512).fill('')

function isWord(word: string, bytes: Buffer, start: number, end: number): boolean {
  if (word.length !== end - start) return false
  for (let i = 0; i < word.length; i++) if (word.charCodeAt(i) !== bytes[start + i]) return false
  return true
}

/** Called at a value: moves the cursor behind it, in steps where it may be long. */
type ReadValue<Place extends unknown[]> = (...place: Place) => Steps<unknown> | undefined

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
  *members(
    read: ReadValue<[key: string, start: number]>,
    field?: string,
    most: number = MAX_KEYS,
  ): Steps<void> {
    this.expect(OPEN_OBJECT)
    while (this.skipSpace()) yield PAUSE
    if (this.take(CLOSE_OBJECT)) return
    for (let members = 1; ; members++) {
      if (members > most) throw tooManyKeys(field)
      if (this.#isPauseDue()) yield PAUSE // short members are 16 MiB together at most
      const start = this.at
      if (this.byte !== QUOTE) throw this.invalid()
      const key =
        this.#word() ?? (this.#parsed(stringEnd(this.bytes, start, start + MAX_SHORT_BYTES, field)) as string)
      while (this.skipSpace()) yield PAUSE
      this.expect(COLON)
      while (this.skipSpace()) yield PAUSE
      const steps = read(key, start)
      if (steps !== undefined) yield* steps
      while (this.skipSpace()) yield PAUSE
      if (this.take(CLOSE_OBJECT)) return
      this.expect(COMMA)
      while (this.skipSpace()) yield PAUSE
    }
  }

  /** Reads the list that begins here. @param read gets each element's index */
  *elements(read: ReadValue<[index: number]>): Steps<void> {
    this.expect(OPEN_LIST)
    while (this.skipSpace()) yield PAUSE
    if (this.take(CLOSE_LIST)) return
    for (let index = 0; ; index++) {
      if (this.#isPauseDue()) yield PAUSE
      const steps = read(index)
      if (steps !== undefined) yield* steps
      while (this.skipSpace()) yield PAUSE
      if (this.take(CLOSE_LIST)) return
      this.expect(COMMA)
      while (this.skipSpace()) yield PAUSE
    }
  }

  /** The short value that begins here. @param depth levels that are open around it */
  short(field: string | undefined, depth: number): unknown {
    return this.#word() ?? this.#parsed(valueEnd(this.bytes, this.at, field, depth))
  }

  /** The value that begins here, by its own reader. */
  *long<Value>(reader: LongReader<Value>): Steps<Value> {
    const { bytes } = this
    if (this.isSmall) {
      while (!reader.isDone) {
        if (this.at >= bytes.length) throw this.invalid()
        this.at = reader.step(this.at, bytes.length)
      }
      return yield* reader.finish()
    }
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
    return yield* reader.finish()
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

  /** The value that stands from here to `end`; moves there. */
  #parsed(end: number): unknown {
    const json = this.bytes.toString('utf8', this.at, end)
    this.at = end
    return JSON.parse(json)
  }
}
