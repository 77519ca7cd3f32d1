import type { ChatCounts } from '../first-layer/datasets/chats/chat-lines.js'
import { type ErrorCode, InletError } from '../first-layer/errors.js'
import type { DocumentWriter, Done } from './document-writer.js'

export interface IngestFacts {
  /** Code points of all documents' texts; 0 if ids were given. */
  readonly numCharacters: number
  /** Of an upload of chats. */
  readonly chats?: ChatCounts | undefined
}

/** Makes documents of an upload's bytes. */
export interface Intake {
  readonly writer: DocumentWriter
  /** Takes at most 64 KiB, in which it may write. They are used no more when the promise settles. */
  write(bytes: Buffer): Promise<void>
  end(): Promise<void>
}

const SLICE_BYTES = 1 << 16

/**
 * Reads an upload to its end: it reads on when all received bytes are done.
 * @param chunks of the unpacked body, in which it may write
 */
export async function ingest(chunks: AsyncIterable<Uint8Array>, intake: Intake): Promise<IngestFacts> {
  for await (const { buffer, byteOffset, length } of chunks) {
    const chunk = Buffer.from(buffer, byteOffset, length)
    for (let start = 0; start < length; start += SLICE_BYTES)
      await intake.write(chunk.subarray(start, start + SLICE_BYTES))
  }
  await intake.end()
  await intake.writer.flush()
  return { numCharacters: intake.writer.ids.characters }
}

const LINE_FEED = 0x0a
const CARRIAGE_RETURN = 0x0d
const RETURN_BYTES = Buffer.of(CARRIAGE_RETURN)

/** Bytes looked at one by one before the search is left to the platform, whose call takes as long. */
const NEAR_BYTES = 48
/** Effort between two calls of the pace, in bytes: some tenths of a millisecond. A line takes as long as so many bytes. */
const PAUSE_BYTES = 8192
const LINE_BYTES = 32

/** Takes the lines of a text, without their ends. No line is empty. Bytes stay as they are until it is done with them. */
export interface LineTaker {
  readonly writer: DocumentWriter
  /** @param number of the line, from 1 */
  line(bytes: Buffer, start: number, end: number, number: number): Done
  /** The next part of a line that is cut between two writes; {@link endParts} ends the line. */
  part(bytes: Buffer): Promise<void>
  endParts(number: number): Promise<void>
  /** Called after the last line. */
  end?(): void
}

/** Takes lines as a whole: those that are cut between two writes are held. */
export abstract class WholeLines implements LineTaker {
  /** Copies of the parts of a line. */
  #parts: Buffer[] = []
  #length = 0

  constructor(
    readonly writer: DocumentWriter,
    private readonly maxLineBytes: number,
  ) {}

  abstract line(bytes: Buffer, start: number, end: number, number: number): Done

  async part(bytes: Buffer): Promise<void> {
    this.#length += bytes.length
    if (this.#length > this.maxLineBytes)
      throw new InletError(
        'body_too_large',
        `the line must be at most ${this.maxLineBytes} bytes. Given: more`,
      )
    this.writer.lineBytes = this.#length
    await this.writer.pause()
    this.#parts.push(Buffer.from(bytes))
  }

  async endParts(number: number): Promise<void> {
    const [parts, length] = [this.#parts, this.#length]
    this.#parts = []
    this.#length = 0
    this.writer.lineBytes = 3 * length // its parts, the whole line, and what JSON.parse makes of it
    await this.writer.pause()
    await this.line(Buffer.concat(parts, length), 0, length, number)
    this.writer.lineBytes = 0
  }
}

/**
 * Cuts bytes into lines, at `\n` and `\r\n`; empty lines are left out. A `\r` anywhere else belongs to its
 * line. The last line needs no end. Errors that a line causes get its number, from 1; empty lines count.
 */
export class Lines implements Intake {
  readonly writer: DocumentWriter
  #number = 1
  /** Whether a part of the present line was taken, and whether a `\r` behind it waits for what follows. */
  #isCut = false
  #hasReturn = false

  constructor(
    private readonly taker: LineTaker,
    private readonly noLine: () => InletError,
  ) {
    this.writer = taker.writer
  }

  async write(bytes: Buffer): Promise<void> {
    try {
      await this.#lines(bytes)
    } catch (error) {
      throw atLine(error, this.#number)
    }
  }

  async end(): Promise<void> {
    try {
      if (this.#hasReturn) await this.#part(RETURN_BYTES, false)
      await this.#endParts()
    } catch (error) {
      throw atLine(error, this.#number)
    }
    this.taker.end?.()
    if (this.writer.numDocuments === 0) throw this.noLine()
  }

  async #lines(bytes: Buffer): Promise<void> {
    let at = 0
    let effort = 0
    for (let end = lineEnd(bytes, at); end >= 0; end = lineEnd(bytes, at)) {
      if (this.#isCut || this.#hasReturn) {
        await this.#hold(bytes.subarray(at, end))
        await this.#endParts()
      } else {
        this.writer.line = this.#number
        const last = end > at && bytes[end - 1] === CARRIAGE_RETURN ? end - 1 : end
        const wait = last > at ? this.taker.line(bytes, at, last, this.#number) : undefined
        if (wait !== undefined) await wait
      }
      effort += end - at + LINE_BYTES
      at = end + 1
      this.#number++
      if (effort > PAUSE_BYTES) {
        effort = 0
        const wait = this.writer.pause()
        if (wait !== undefined) await wait
      }
    }
    await this.#hold(bytes.subarray(at))
  }

  /** Takes bytes of the present line; a `\r` at their end is no text if `\n` follows. */
  async #hold(bytes: Buffer): Promise<void> {
    if (bytes.length === 0) return
    if (this.#hasReturn) await this.#part(RETURN_BYTES, false)
    const hasReturn = bytes[bytes.length - 1] === CARRIAGE_RETURN
    await this.#part(hasReturn ? bytes.subarray(0, -1) : bytes, hasReturn)
  }

  async #part(bytes: Buffer, hasReturn: boolean): Promise<void> {
    this.#hasReturn = hasReturn
    if (bytes.length === 0) return
    this.#isCut = true
    await this.taker.part(bytes)
  }

  async #endParts(): Promise<void> {
    const isCut = this.#isCut
    this.#isCut = this.#hasReturn = false
    this.writer.line = this.#number
    if (isCut) await this.taker.endParts(this.#number)
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
  if (error.message.startsWith('Line ')) return error
  const { code, message, param } = error
  const named = message.startsWith(BODY) ? message.slice(BODY.length) : `: ${message}`
  return new InletError(code, `Line ${line}${named}`, param)
}
