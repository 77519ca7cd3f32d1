import { InletError } from '../../errors.js'
import { isUtf8 } from './is-utf8.js'
import { openTail } from './utf8-sequence.js'

const lenient = new TextDecoder('utf-8', { ignoreBOM: true })

/** Offset of the first byte that is not part of valid UTF-8, or −1. A cut sequence counts where it begins. */
export function invalidUtf8Offset(bytes: Uint8Array): number {
  if (isUtf8(bytes)) return -1
  const replaced = Buffer.from(lenient.decode(bytes)) // U+FFFD in the place of what is invalid
  let at = 0
  while (bytes[at] === replaced[at]) at++
  while ((replaced[at] & 0xc0) === 0x80) at-- // it may begin as U+FFFD does
  return at
}

/**
 * Checks that the chunks of a text are UTF-8 and passes them on. A character may be cut between two chunks.
 * @param refused makes the error; it gets the offset in the text of the first byte that is not UTF-8
 */
export async function* checkedUtf8(
  chunks: AsyncIterable<Uint8Array>,
  refused: (byte: number) => Error,
): AsyncGenerator<Uint8Array, void, void> {
  let offset = 0
  /** The beginning of a character, with which the last chunk has ended. */
  let open = Buffer.alloc(0)
  for await (const chunk of chunks) {
    const bytes = open.length === 0 ? chunk : Buffer.concat([open, chunk])
    const whole = bytes.length - openTail(bytes)
    const invalid = invalidUtf8Offset(bytes.subarray(0, whole))
    if (invalid >= 0) throw refused(offset + invalid)
    open = Buffer.from(bytes.subarray(whole))
    offset += whole
    yield chunk
  }
  if (open.length > 0) throw refused(offset)
}

/**
 * Checks the chunks of a request's raw text in the same way.
 * @throws InletError `invalid_unicode` with the byte offset in the whole text, `empty_input`
 */
export async function* checkedText(
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array, void, void> {
  const notUtf8 = (byte: number) =>
    new InletError('invalid_unicode', `\`text\` must be UTF-8: byte ${byte} of the body is not.`, 'text')
  let isEmpty = true
  for await (const chunk of checkedUtf8(chunks, notUtf8)) {
    isEmpty &&= chunk.length === 0
    yield chunk
  }
  if (isEmpty) throw new InletError('empty_input', '`text` must not be empty. Given: an empty body', 'text')
}
