import { TokenBuffer } from '../../../src/first-layer/tokens/token-buffer.js'
import { type Text, TextWriter, utf8Slices } from '../../../src/first-layer/tokens/tokenize.js'
import type { StreamOptions, Tokenizer } from '../../../src/first-layer/tokens/tokenizer.js'

/** UTF-16 units of a text that `tokenizeAsync` gives to `encodeShort`. */
const SHORT = 5400

/** What `tokenizeAsync` gives, at once: for tokenizers in this process. */
export function tokenizeText(tokenizer: Tokenizer, text: Text, options: StreamOptions): TokenBuffer {
  const ids = new TokenBuffer()
  const isShort = typeof text === 'string' && text.length <= SHORT
  if (isShort && tokenizer.encodeShort?.(text, options, ids)) return ids
  const writer = new TextWriter(tokenizer, options, ids)
  for (const slice of utf8Slices(text)) {
    writer.write(slice)
    while (writer.advance());
  }
  if (writer.end() !== undefined) throw new TypeError('This tokenizer is in another process.')
  while (writer.advance());
  return ids
}
