import { type ErrorCode, InletError } from '../first-layer/errors.js'
import type { DocumentWriter, Done } from './document-writer.js'

const LINE_FEED = 0x0a
const CARRIAGE_RETURN = 0x0d

/** Effort between two calls of the pace, in bytes: some tenths of a millisecond. A line takes as long as so many bytes. */
const PAUSE_BYTES = 8192
const LINE_BYTES = 32

/**
 * Cuts bytes into lines, at `\n` and `\r\n`; empty lines are left out. A `\r` anywhere else belongs to its line. The last
 * line needs no end. Errors that a line causes get its number, from 1; empty lines count. A line that is cut between two
 * chunks is held until it is whole.
 *
 * @param maxLineBytes of a line that is held
 * @param take gets each line, from 1, which stays as it is until it is done
 */
export async function eachLine(
  chunks: AsyncIterable<Uint8Array>,
  writer: DocumentWriter,
  maxLineBytes: number,
  take: (line: Buffer, number: number) => Done,
): Promise<void> {
  const held: Buffer[] = [] // parts of the present line
  let heldBytes = 0
  let effort = 0
  writer.line = 1
  const hold = async (part: Buffer) => {
    heldBytes += part.length
    if (heldBytes > maxLineBytes) {
      const message = `the line must be at most ${maxLineBytes} bytes. Given: more`
      throw new InletError('body_too_large', message)
    }
    writer.lineBytes = heldBytes
    await writer.pause()
    held.push(Buffer.from(part))
  }
  const whole = async () => {
    writer.lineBytes = 3 * heldBytes // its parts, the whole line, and what JSON.parse makes of it
    await writer.pause()
    return Buffer.concat(held.splice(0), heldBytes)
  }
  const cut = async (chunk: Buffer) => {
    let at = 0
    for (let end = chunk.indexOf(LINE_FEED); end >= 0; end = chunk.indexOf(LINE_FEED, at)) {
      let line = chunk.subarray(at, end)
      if (heldBytes > 0) {
        await hold(line)
        line = await whole()
      }
      if (line.at(-1) === CARRIAGE_RETURN) line = line.subarray(0, -1)
      const wait = line.length > 0 ? take(line, writer.line) : undefined
      if (wait !== undefined) await wait
      heldBytes = writer.lineBytes = 0
      writer.line++
      effort += end - at + LINE_BYTES
      at = end + 1
      if (effort <= PAUSE_BYTES) continue
      effort = 0
      await writer.pause()
    }
    if (at < chunk.length) await hold(chunk.subarray(at))
  }
  const refuse = (error: unknown) => {
    throw atLine(error, writer.line)
  }
  for await (const { buffer, byteOffset, length } of chunks)
    await cut(Buffer.from(buffer, byteOffset, length)).catch(refuse)
  if (heldBytes > 0)
    await whole()
      .then((line) => take(line, writer.line))
      .catch(refuse)
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
