import { PAUSE, type Steps } from '../../../first-layer/steps.js'
import { type ErrorCode, InletError } from '../../answer/error-table.js'

const LINE_FEED = 0x0a
const CARRIAGE_RETURN = 0x0d
const RETURN_BYTES = Buffer.of(CARRIAGE_RETURN)

/** Bytes of the longest line that is put together where it comes in several chunks. */
const HELD_BYTES = 8192
/** Bytes looked at one by one before the search is left to the platform, whose call takes as long. */
const NEAR_BYTES = 48
/** Effort between two pauses, in bytes: some tenths of a millisecond. A line takes as long as so many bytes. */
const PAUSE_BYTES = 8192
const LINE_BYTES = 32

export const LINES_BYTES = HELD_BYTES

/** Takes the lines of a text, without their ends. No line is empty. */
export interface LineTaker {
  /** A line, as the bytes `start … end`, which stay as they are until the steps are done. Undefined: done at once. */
  line(bytes: Buffer, start: number, end: number): Steps<void> | undefined
  /** The next part of a long line, which {@link endParts} ends. Its bytes are valid until the steps are done. */
  part(bytes: Buffer): Steps<void>
  endParts(): Steps<void>
}

/**
 * Cuts chunks into lines, at `\n` and `\r\n`; empty lines are left out. A `\r` anywhere else belongs to its line. The last
 * line needs no end.
 */
export class Lines {
  /** The number of the present line, from 1; empty lines count. */
  number = 1
  /** The beginning of a line that the next chunk goes on with. */
  readonly #held = Buffer.allocUnsafeSlow(HELD_BYTES)
  #heldLength = 0
  /** Whether a part of the present line was taken, and whether a `\r` behind it waits for what follows. */
  #isInParts = false
  #hasReturn = false

  constructor(private readonly taker: LineTaker) {}

  /** @param chunk its bytes are used no more when the steps are done */
  *write(chunk: Buffer): Steps<void> {
    let at = 0
    if (this.#isOpen) {
      const end = chunk.indexOf(LINE_FEED)
      yield* this.#hold(end < 0 ? chunk : chunk.subarray(0, end))
      if (end < 0) return
      yield* this.#endLine(true)
      this.number++
      at = end + 1
    }
    let effort = 0
    for (let end = lineEnd(chunk, at); end >= 0; end = lineEnd(chunk, at)) {
      const last = end > at && chunk[end - 1] === CARRIAGE_RETURN ? end - 1 : end
      if (last > at) {
        const rest = this.#take(chunk, at, last)
        if (rest !== undefined) yield* rest
      }
      effort += end - at + LINE_BYTES
      at = end + 1
      this.number++
      if (effort > PAUSE_BYTES) {
        effort = 0
        yield PAUSE
      }
    }
    yield* this.#hold(chunk.subarray(at))
  }

  /** The text ends. */
  *end(): Steps<void> {
    if (this.#isOpen) yield* this.#endLine(false)
  }

  get #isOpen(): boolean {
    return this.#isInParts || this.#heldLength > 0
  }

  #take(bytes: Buffer, start: number, end: number): Steps<void> | undefined {
    try {
      const rest = this.taker.line(bytes, start, end)
      return rest && this.#named(rest)
    } catch (error) {
      throw atLine(error, this.number)
    }
  }

  *#named(steps: Steps<void>): Steps<void> {
    try {
      yield* steps
    } catch (error) {
      throw atLine(error, this.number)
    }
  }

  /** Takes bytes of the present line, whose end is not known yet. */
  *#hold(bytes: Buffer): Steps<void> {
    if (bytes.length === 0) return
    if (!this.#isInParts && this.#heldLength + bytes.length <= HELD_BYTES) {
      bytes.copy(this.#held, this.#heldLength)
      this.#heldLength += bytes.length
      return
    }
    const held = this.#held.subarray(0, this.#heldLength)
    this.#heldLength = 0
    this.#isInParts = true
    yield* this.#part(held)
    yield* this.#part(bytes)
  }

  *#part(bytes: Buffer): Steps<void> {
    if (bytes.length === 0) return
    if (this.#hasReturn) yield* this.#named(this.taker.part(RETURN_BYTES))
    this.#hasReturn = bytes[bytes.length - 1] === CARRIAGE_RETURN
    const rest = this.#hasReturn ? bytes.subarray(0, -1) : bytes
    if (rest.length > 0) yield* this.#named(this.taker.part(rest))
  }

  /** @param isFed whether the line ends with `\n`, before which a `\r` is no text */
  *#endLine(isFed: boolean): Steps<void> {
    if (this.#isInParts) {
      if (this.#hasReturn && !isFed) yield* this.#named(this.taker.part(RETURN_BYTES))
      yield* this.#named(this.taker.endParts())
      this.#isInParts = this.#hasReturn = false
      return
    }
    const length = this.#heldLength
    this.#heldLength = 0
    const end = isFed && this.#held[length - 1] === CARRIAGE_RETURN ? length - 1 : length
    if (end === 0) return
    const line = this.#held.subarray(0, end)
    yield* this.#take(line, 0, end) ?? []
  }
}

/** The place of the first `\n` from `from` on, or −1. */
function lineEnd(bytes: Buffer, from: number): number {
  const near = Math.min(bytes.length, from + NEAR_BYTES)
  for (let at = from; at < near; at++) if (bytes[at] === LINE_FEED) return at
  return near === bytes.length ? -1 : bytes.indexOf(LINE_FEED, near)
}

/** Codes of errors that a line itself causes; all others are the service’s or the sink’s. */
const OF_A_LINE: ReadonlySet<ErrorCode> = new Set([
  'invalid_json',
  'invalid_request',
  'invalid_unicode',
  'body_too_large',
  'token_out_of_range',
  'tokenizer_unavailable',
])

/** What messages about JSON as a whole begin with. */
const BODY = 'The body'

/** The error with the number of the line that causes it: "Line 3: `text` must be a string. Given: 4". */
function atLine(error: unknown, line: number): unknown {
  if (!(error instanceof InletError) || !OF_A_LINE.has(error.code)) return error
  const { code, message, param } = error
  const named = message.startsWith(BODY) ? message.slice(BODY.length) : `: ${message}`
  return new InletError(code, `Line ${line}${named}`, param)
}

/** Bytes that are kept from line to line. */
const KEPT_BYTES = 1 << 17
const COPIED_BYTES = 1 << 18

/** Memory that is kept for the next long line. */
export const LONG_LINE_BYTES = KEPT_BYTES

/** Puts a line together that comes in parts; its memory is reserved as it grows. */
export class LongLine {
  #kept: Buffer | undefined
  #bytes: Buffer = Buffer.alloc(0)
  #length = 0

  /** @param most bytes of a line */
  constructor(private readonly most: number) {}

  /** The line so far, valid until {@link end}. */
  get bytes(): Buffer {
    return this.#bytes.subarray(0, this.#length)
  }

  /** @throws InletError `body_too_large` */
  *append(part: Buffer): Steps<void> {
    const length = this.#length + part.length
    if (length > this.most) {
      const message = `the line must be at most ${this.most} bytes. Given: more`
      throw new InletError('body_too_large', message)
    }
    if (this.#length === 0) this.#bytes = this.#kept ??= Buffer.allocUnsafeSlow(KEPT_BYTES)
    if (length > this.#bytes.length) yield* this.#grow(Math.min(2 * length, Math.max(length, this.most)))
    part.copy(this.#bytes, this.#length)
    this.#length = length
  }

  /** Forgets the line. */
  *end(): Steps<void> {
    const unused = this.#bytes === this.#kept ? 0 : this.#bytes.length
    this.#bytes = Buffer.alloc(0)
    this.#length = 0
    if (unused > 0) yield -unused
  }

  *#grow(capacity: number): Steps<void> {
    yield capacity
    const old = this.#bytes
    const bytes = Buffer.allocUnsafeSlow(capacity)
    for (let at = 0; at < this.#length; at += COPIED_BYTES) {
      old.copy(bytes, at, at, Math.min(at + COPIED_BYTES, this.#length))
      yield PAUSE
    }
    this.#bytes = bytes
    if (old !== this.#kept) yield -old.length
  }
}
