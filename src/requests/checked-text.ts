import { Utf8Checker } from '../wire/utf8.js'

/**
 * A text that comes as bytes, cut anywhere, even within a character: passed on as it comes, once it is known to be UTF-8.
 *
 * @param refused makes the error for the first byte that is not, counted from the beginning of the text
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
