import type { GrowingIds } from '../first-layer/tokens/growing-ids.js'
import type { TokenBuffer } from '../first-layer/tokens/token-buffer.js'
import { TextWriter, tokenizeBytes, tokenizeText } from '../first-layer/tokens/tokenize.js'
import type { StreamOptions, Tokenizer } from '../first-layer/tokens/tokenizer.js'
import type { Claim } from '../load/claim.js'
import { drive } from '../load/drive.js'
import { Pace } from '../turn.js'
import type { TextPieces } from '../wire/given.js'

/** A text of at most so many bytes becomes a string: a short text is tokenized faster as one. */
const SHORT = 16_384

/** The ids of a text. @param into as in `tokenizeText` */
export function textIds(
  tokenizer: Tokenizer,
  text: TextPieces,
  options: StreamOptions,
  claim: Claim,
  into?: GrowingIds,
): TokenBuffer | Promise<TokenBuffer> {
  const steps =
    text.length <= SHORT
      ? tokenizeText(tokenizer, text.toString(), options, into)
      : tokenizeBytes(tokenizer, text.pieces(), options, into)
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

/** A text as UTF-8, in one piece; its memory is reserved. */
export async function textUtf8(text: TextPieces, claim: Claim): Promise<Buffer> {
  const wait = claim.take(text.length)
  if (wait !== undefined) await wait
  const pace = new Pace(claim)
  const utf8 = Buffer.allocUnsafeSlow(text.length)
  let length = 0
  for (const piece of text.pieces()) {
    if (pace.isOver) await pace.nextTurn()
    utf8.set(piece, length)
    length += piece.length
  }
  return utf8.subarray(0, length)
}
