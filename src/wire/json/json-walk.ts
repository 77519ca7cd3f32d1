import type { InletError } from '../../errors.js'
import type { Claim } from '../../load/claim.js'
import { Pace } from '../../turn.js'
import { MAX_SHORT_BYTES, tooLong } from './bounds.js'
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
import { invalidJson } from './invalid-json.js'
import { stringEnd } from './value-end.js'

/** Bytes passed over between two looks at the clock. */
const STEP_BYTES = 16_384

/** A member's key, and where its first quote stands. */
export interface KeyPlace {
  readonly key: string
  readonly start: number
}

/**
 * Walks over a body whose other parts stay as they are: it finds where values begin and end, in short turns, and keeps
 * none of them. What it passes over it does not check, except that strings and brackets end.
 */
export class JsonWalk {
  readonly pace: Pace
  /** Where the walk is: in the loops over {@link keys} and {@link elements}, at the value's first byte. */
  at = 0

  constructor(
    readonly bytes: Buffer,
    claim: Claim,
  ) {
    this.pace = new Pace(claim)
  }

  /** The keys of the object that begins here. Who loops over them moves {@link at} behind each value. */
  async *keys(): AsyncGenerator<KeyPlace, void, void> {
    if (this.bytes[this.at] !== OPEN_OBJECT) throw this.#invalid()
    for await (const _ of this.#items(CLOSE_OBJECT)) {
      const start = this.at
      if (this.bytes[start] !== QUOTE) throw this.#invalid()
      this.at = stringEnd(this.bytes, start, start + MAX_SHORT_BYTES, undefined)
      const key = JSON.parse(this.bytes.toString('utf8', start, this.at))
      if ((await this.next()) !== COLON) throw this.#invalid()
      this.at++
      await this.next()
      yield { key, start }
    }
  }

  /** The places in the list that begins here. Who loops over them moves {@link at} behind each value. */
  async *elements(): AsyncGenerator<number, void, void> {
    if (this.bytes[this.at] !== OPEN_LIST) throw this.#invalid()
    yield* this.#items(CLOSE_LIST)
  }

  async *#items(close: number): AsyncGenerator<number, void, void> {
    this.at++
    for (let index = 0; ; index++) {
      const byte = await this.next()
      if (byte === close) break
      if (index > 0) {
        if (byte !== COMMA) throw this.#invalid()
        this.at++
        await this.next()
      }
      yield index
      if (this.pace.isOver) await this.pace.nextTurn()
    }
    this.at++
  }

  /** Moves behind white space; returns the byte there, undefined at the end of the body. */
  async next(): Promise<number | undefined> {
    const { bytes } = this
    for (;;) {
      const stop = Math.min(this.at + STEP_BYTES, bytes.length)
      while (this.at < stop && isSpace(bytes[this.at])) this.at++
      if (this.at < stop || this.at === bytes.length) return bytes[this.at]
      if (this.pace.isOver) await this.pace.nextTurn()
    }
  }

  /** The value that begins here, which must be short; moves behind it. @param field its name, for messages */
  async value(field: string): Promise<unknown> {
    const start = this.at
    await this.skip()
    if (this.at - start > MAX_SHORT_BYTES) throw tooLong(field)
    try {
      return JSON.parse(this.bytes.toString('utf8', start, this.at))
    } catch {
      throw invalidJson(this.bytes, start)
    }
  }

  /** Moves behind the value that begins here. */
  async skip(): Promise<void> {
    const { bytes } = this
    const first = bytes[this.at]
    if (first === undefined || first === COMMA || first === CLOSE_LIST || first === CLOSE_OBJECT) {
      throw this.#invalid()
    }
    let depth = 0
    let isInString = false
    for (;;) {
      const stop = Math.min(this.at + STEP_BYTES, bytes.length)
      let at = this.at
      while (at < stop) {
        const byte = bytes[at]
        if (isInString) {
          if (PLAIN[byte] === 1) at++
          else if (byte === BACKSLASH) at += 2
          else if (byte === QUOTE) {
            isInString = false
            at++
            if (depth === 0) return this.#goTo(at)
          } else throw invalidJson(bytes, at)
          continue
        }
        if (byte === QUOTE) isInString = true
        else if (byte === OPEN_LIST || byte === OPEN_OBJECT) depth++
        else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) {
          if (depth === 0) return this.#goTo(at)
          if (--depth === 0) return this.#goTo(at + 1)
        } else if (depth === 0 && (byte === COMMA || isSpace(byte))) return this.#goTo(at)
        at++
      }
      this.#goTo(Math.min(at, bytes.length))
      if (this.at === bytes.length) throw this.#invalid()
      if (this.pace.isOver) await this.pace.nextTurn()
    }
  }

  #goTo(at: number): void {
    this.at = at
  }

  #invalid(): InletError {
    return invalidJson(this.bytes, this.at)
  }
}
