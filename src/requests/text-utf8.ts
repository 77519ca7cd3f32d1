import type { Claim } from '../load/claim.js'
import { Pace } from '../turn.js'
import type { LongText } from '../wire/json/long-text.js'

/** A text from a JSON body as UTF-8, in one piece; its memory is reserved. */
export async function textUtf8(text: string | LongText, claim: Claim): Promise<Buffer> {
  const wait = claim.take(typeof text === 'string' ? 3 * text.length : text.length)
  if (wait !== undefined) await wait
  if (typeof text === 'string') return Buffer.from(text)
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
