import type { Pooling } from '../first-layer/pooling/pooling.js'
import type { TextPieces } from '../wire/given.js'

/** Most bytes of UTF-8 that a UTF-16 unit has. */
const UNIT_BYTES = 3
/** Most bytes of a code point. */
const CODE_POINT_BYTES = 4

/**
 * A text as a static model tokenizes it: its prompt, then its first code points, `maxLength` × `medianTokenLength` of
 * them where the model has a limit.
 */
export function preparedText(
  text: TextPieces,
  { prompt = '', maxLength, medianTokenLength }: Pooling,
): TextPieces {
  const most =
    maxLength === null || medianTokenLength === undefined
      ? Number.POSITIVE_INFINITY
      : maxLength * medianTokenLength
  if (prompt === '' && text.length <= most) return text
  return {
    length: UNIT_BYTES * prompt.length + Math.min(text.length, CODE_POINT_BYTES * most),
    toString: () => prompt + Buffer.concat([...firstBytes(text, most)].map((piece) => Buffer.from(piece))),
    *pieces() {
      if (prompt !== '') yield Buffer.from(prompt)
      yield* firstBytes(text, most)
    },
  }
}

/** The UTF-8 of the first `most` code points. */
function* firstBytes(text: TextPieces, most: number): IterableIterator<Uint8Array> {
  let left = most
  for (const piece of text.pieces()) {
    let end = 0
    for (; end < piece.length; end++) {
      const begins = (piece[end]! & 0xc0) !== 0x80 // any other byte continues a code point
      if (begins && left-- === 0) break
    }
    yield piece.subarray(0, end)
    if (end < piece.length) return
  }
}
