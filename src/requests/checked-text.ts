import { Utf8Checker } from '../wire/utf8.js'

/**
 * Passes on the chunks of a text, each after the check that it is UTF-8. A character may be cut between two
 * chunks.
 *
 * @param refused makes the error from the offset of the first byte that is not UTF-8, counted from the text's
 * start
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
