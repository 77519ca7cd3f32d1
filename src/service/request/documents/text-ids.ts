import { PAUSE, type Steps } from '../../../first-layer/steps.js'
import type { GrowingIds, TokenBuffer } from '../../../first-layer/tokens/token-buffer.js'
import { TextWriter, tokenizeBytes, tokenizeText } from '../../../first-layer/tokens/tokenize.js'
import type { StreamOptions, Tokenizer } from '../../../first-layer/tokens/tokenizer.js'
import { Offsets } from '../../../first-layer/windows/documents.js'
import { type Claim, drive } from '../../../first-layer/work/drive.js'
import type { TextsUtf8 } from '../../answer/tokenized.js'
import type { Text } from '../body/given.js'

/** Memory that a text takes beside its UTF-8. */
const TEXT_BYTES = 8

/** The ids of a text. @param into as in `tokenizeText` */
export function textIds(
  tokenizer: Tokenizer,
  text: Text,
  options: StreamOptions,
  into?: GrowingIds,
): Steps<TokenBuffer> {
  return typeof text === 'string'
    ? tokenizeText(tokenizer, text, options, into)
    : tokenizeBytes(tokenizer, [text], options, into)
}

/** The ids of a text that comes as chunks of UTF-8. The whole text is never in memory. */
export async function idsOfChunks(
  tokenizer: Tokenizer,
  chunks: AsyncIterable<Uint8Array>,
  options: StreamOptions,
  claim: Claim,
): Promise<TokenBuffer> {
  const writer = new TextWriter(tokenizer, options)
  for await (const chunk of chunks) await drive(claim, writer.write(chunk))
  return drive(claim, writer.end())
}

/** Texts as UTF-8, one after the other in one piece; its memory is reserved. */
export function* textsUtf8(texts: readonly Text[]): Steps<TextsUtf8> {
  const starts = new Offsets()
  let most = 0
  for (const text of texts) {
    yield PAUSE
    most += Buffer.byteLength(text) + TEXT_BYTES
  }
  yield most
  const utf8 = Buffer.allocUnsafeSlow(most)
  let length = 0
  for (const text of texts) {
    yield PAUSE
    starts.push(length)
    length += typeof text === 'string' ? utf8.write(text, length) : text.copy(utf8, length)
  }
  return { bytes: utf8.subarray(0, length), starts }
}
