import type { GrowingIds } from '../first-layer/tokens/growing-ids.js'
import type { TokenBuffer } from '../first-layer/tokens/token-buffer.js'
import { TextWriter, tokenizeBytes, tokenizeText } from '../first-layer/tokens/tokenize.js'
import type { StreamOptions, Tokenizer } from '../first-layer/tokens/tokenizer.js'
import type { Claim } from '../load/claim.js'
import { drive } from '../load/drive.js'
import type { TextPieces } from '../wire/json/long-text.js'

/** A text of at most so many bytes in a large body becomes a string: a short text is tokenized faster as one. */
const SHORT = 16_384

/**
 * The ids of a text from a JSON body, a small or a large one.
 *
 * @param into as in `tokenizeText`
 */
export function textIds(
  tokenizer: Tokenizer,
  text: string | TextPieces,
  options: StreamOptions,
  claim: Claim,
  into?: GrowingIds,
): TokenBuffer | Promise<TokenBuffer> {
  const isShort = typeof text !== 'string' && text.length <= SHORT
  const whole = isShort ? text.toString() : text
  const steps =
    typeof whole === 'string'
      ? tokenizeText(tokenizer, whole, options, into)
      : tokenizeBytes(tokenizer, whole.pieces(), options, into)
  return drive(claim, steps)
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
