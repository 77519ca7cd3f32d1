import { type ErrorCode, InletError } from '../first-layer/errors.js'
import { type Claim, drive } from '../first-layer/running/drive.js'
import { PAUSE, type Steps, waitFor } from '../first-layer/steps.js'
import type { DocumentWriter } from './document-writer.js'

export interface IngestFacts {
  /** Code points of all documents' texts; 0 if ids were given. */
  readonly numCharacters: number
}

/** Makes documents of an upload's bytes. */
export interface Intake {
  /** The most bytes that it holds, however long the upload is. */
  readonly heldBytes: number
  readonly writer: DocumentWriter
  /** Takes at most 64 KiB, in which it may write. They are used no more when the steps are done. */
  write(bytes: Buffer): Steps<void>
  end(): Steps<void>
}

const SLICE_BYTES = 1 << 16
/** Bytes that an intake holds for a byte that comes, until it holds its most: a document of one is three ids and an end. */
const HELD_PER_BYTE = 16

/**
 * Reads an upload to its end, as one work in turns: it reads on when all received bytes are done.
 * @param chunks of the unpacked body, in which it may write. Ends, or fails, when the claim is aborted
 */
export async function ingest(
  chunks: AsyncIterable<Uint8Array>,
  intake: Intake,
  claim: Claim,
): Promise<IngestFacts> {
  const iterator = chunks[Symbol.asyncIterator]()
  try {
    return await drive(claim, reading(iterator, intake))
  } finally {
    await iterator.return?.()
  }
}

function* reading(iterator: AsyncIterator<Uint8Array>, intake: Intake): Steps<IngestFacts> {
  let held = 0
  for (;;) {
    const { done, value } = yield* waitFor(iterator.next())
    if (done) break
    const more = Math.min(intake.heldBytes - held, HELD_PER_BYTE * value.length)
    if (more > 0) yield more
    held += more
    const chunk = Buffer.from(value.buffer, value.byteOffset, value.length)
    for (let start = 0; start < chunk.length; start += SLICE_BYTES)
      yield* intake.write(chunk.subarray(start, start + SLICE_BYTES))
  }
  yield* intake.end()
  yield intake.writer.flush()
  if (held > 0) yield -held
  return { numCharacters: intake.writer.ids.characters }
}

const LINE_FEED = 0x0a
const CARRIAGE_RETURN = 0x0d
const RETURN_BYTES = Buffer.of(CARRIAGE_RETURN)

/** Bytes looked at one by one before the search is left to the platform, whose call takes as long. */
const NEAR_BYTES = 48
/** Effort between two pauses, in bytes: some tenths of a millisecond. A line takes as long as so many bytes. */
const PAUSE_BYTES = 8192
const LINE_BYTES = 32

/** Takes the lines of a text, without their ends. No line is empty. Bytes stay as they are until the steps are done. */
export interface LineTaker {
  readonly heldBytes: number
  readonly writer: DocumentWriter
  line(bytes: Buffer, start: number, end: number): Steps<void>
  /** The next part of a line that is cut between two writes; {@link endParts} ends the line. */
  part(bytes: Buffer): Steps<void>
  endParts(): Steps<void>
}

/**
 * Cuts bytes into lines, at `\n` and `\r\n`; empty lines are left out. A `\r` anywhere else belongs to its
 * line. The last line needs no end. Errors that a line causes get its number, from 1; empty lines count.
 */
export class Lines implements Intake {
  readonly heldBytes: number
  readonly writer: DocumentWriter
  #number = 1
  /** Whether a part of the present line was taken, and whether a `\r` behind it waits for what follows. */
  #isCut = false
  #hasReturn = false

  constructor(
    private readonly taker: LineTaker,
    private readonly noLine: () => InletError,
  ) {
    this.heldBytes = taker.heldBytes
    this.writer = taker.writer
  }

  *write(bytes: Buffer): Steps<void> {
    try {
      yield* this.#lines(bytes)
    } catch (error) {
      throw atLine(error, this.#number)
    }
  }

  *end(): Steps<void> {
    try {
      if (this.#hasReturn) yield* this.#part(RETURN_BYTES, false)
      yield* this.#endParts()
    } catch (error) {
      throw atLine(error, this.#number)
    }
    if (this.writer.numDocuments === 0) throw this.noLine()
  }

  *#lines(bytes: Buffer): Steps<void> {
    let at = 0
    let effort = 0
    for (let end = lineEnd(bytes, at); end >= 0; end = lineEnd(bytes, at)) {
      if (this.#isCut || this.#hasReturn) {
        yield* this.#hold(bytes.subarray(at, end))
        yield* this.#endParts()
      } else {
        const last = end > at && bytes[end - 1] === CARRIAGE_RETURN ? end - 1 : end
        if (last > at) yield* this.taker.line(bytes, at, last)
      }
      effort += end - at + LINE_BYTES
      at = end + 1
      this.#number++
      if (effort > PAUSE_BYTES) {
        effort = 0
        yield PAUSE
      }
    }
    yield* this.#hold(bytes.subarray(at))
  }

  /** Takes bytes of the present line; a `\r` at their end is no text if `\n` follows. */
  *#hold(bytes: Buffer): Steps<void> {
    if (bytes.length === 0) return
    if (this.#hasReturn) yield* this.#part(RETURN_BYTES, false)
    const hasReturn = bytes[bytes.length - 1] === CARRIAGE_RETURN
    yield* this.#part(hasReturn ? bytes.subarray(0, -1) : bytes, hasReturn)
  }

  *#part(bytes: Buffer, hasReturn: boolean): Steps<void> {
    this.#hasReturn = hasReturn
    if (bytes.length === 0) return
    this.#isCut = true
    yield* this.taker.part(bytes)
  }

  *#endParts(): Steps<void> {
    const isCut = this.#isCut
    this.#isCut = this.#hasReturn = false
    if (isCut) yield* this.taker.endParts()
  }
}

/** The place of the first `\n` from `from` on, or −1. */
function lineEnd(bytes: Buffer, from: number): number {
  const near = Math.min(bytes.length, from + NEAR_BYTES)
  for (let at = from; at < near; at++) if (bytes[at] === LINE_FEED) return at
  return near === bytes.length ? -1 : bytes.indexOf(LINE_FEED, near)
}

/** Codes of errors that a line itself causes; all others belong to the service or the sink. */
const OF_A_LINE: ReadonlySet<ErrorCode> = new Set([
  'invalid_json',
  'invalid_request',
  'invalid_unicode',
  'body_too_large',
  'token_out_of_range',
  'tokenizer_unavailable',
])

/** The start of messages about JSON as a whole. */
const BODY = 'The body'

/** The error with the number of the line that causes it: "Line 3: `text` must be a string. Given: 4". */
function atLine(error: unknown, line: number): unknown {
  if (!(error instanceof InletError) || !OF_A_LINE.has(error.code)) return error
  const { code, message, param } = error
  const named = message.startsWith(BODY) ? message.slice(BODY.length) : `: ${message}`
  return new InletError(code, `Line ${line}${named}`, param)
}
