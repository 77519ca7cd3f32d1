import { InletError } from '../../answer/error-table.js'
import { checkedUtf8 } from '../body/utf8.js'

/**
 * Checks the chunks of a request's raw text and passes them on; a character may be cut between two chunks.
 *
 * @throws InletError `invalid_unicode` with the byte offset in the whole text, `empty_input`
 */
export async function* checkedText(
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array, void, void> {
  let isEmpty = true
  for await (const chunk of checkedUtf8(chunks, notUtf8)) {
    isEmpty &&= chunk.length === 0
    yield chunk
  }
  if (isEmpty) throw new InletError('empty_input', '`text` must not be empty. Given: an empty body', 'text')
}

function notUtf8(byte: number): InletError {
  return new InletError('invalid_unicode', `\`text\` must be UTF-8: byte ${byte} of the body is not.`, 'text')
}
