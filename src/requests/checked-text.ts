import { Utf8Checker } from '../wire/utf8.js'

/**
 * Checks that the chunks of a text are UTF-8 and passes them on. A character may be cut between two chunks.
 *
 * @param refused makes the error; it gets the offset in the text of the first byte that is not UTF-8
 */
export async function* checkedText(
  chunks: AsyncIterable<Uint8Array>,
  refused: (byte: number) => Error,
): AsyncGenerator<Uint8Array, void, void> {
  const utf8 = new Utf8Checker()
  const refuse = (invalid: number) => {
    if (invalid >= 0) throw refused(invalid)
  }
  for await (const chunk of chunks) {
    refuse(utf8.check(chunk))
    yield chunk
  }
  refuse(utf8.end())
}
