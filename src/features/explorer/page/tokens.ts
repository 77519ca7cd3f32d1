export interface TokenDocument {
  /** The text's UTF-8. */
  readonly bytes: Uint8Array
  readonly ids: Int32Array
  /** The places in the bytes where each token begins and the last one ends: n + 1 numbers. */
  readonly starts: Int32Array
  /** Where each token ends, if bytes between tokens belong to none. */
  readonly ends?: Int32Array
  /** The model has no tokenizer here: its tokens are ids, and the text is their numbers. */
  readonly isNumbers?: boolean
}

const encoder = new TextEncoder()
const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

/** The bytes of a token, in hexadecimal: "é" → "c3 a9". */
export function hexOf(document: TokenDocument, token: number): string {
  return hex(document.bytes.subarray(document.starts[token], endOf(document, token)))
}

function hex(bytes: ArrayLike<number>): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join(' ')
}

/** A token's bytes as text; in hexadecimal where they are a part of a character. */
export function nameOf(bytes: readonly number[]): string {
  const text = decoder.decode(Uint8Array.from(bytes))
  return text.includes('\ufffd') ? hex(bytes) : visible(text)
}

export function endOf({ starts, ends }: TokenDocument, token: number): number {
  return ends?.[token] ?? starts[token + 1]
}

/** A token's text as it is shown: spaces and line ends as signs. */
export function visible(text: string): string {
  return text.replaceAll(' ', '·').replaceAll('\n', '↵').replaceAll('\t', '→').replaceAll('\r', '␍')
}

/** Tokens on each side that may have a part of a token's character: a family of emoji is 18. */
const NEAR = 32

/** The text of a document's token: "🐈 1/3" for the first of three that share a character. '' behind its last token. */
export function visibleText(document: TokenDocument, token: number): string {
  const { bytes, ids, starts } = document
  if (token >= ids.length) return ''
  const [start, end] = [starts[token], endOf(document, token)]
  // Letters of ASCII share no character: most tokens need no search.
  if (bytes.subarray(Math.max(0, start - 1), end + 1).every((byte) => byte < 0x80))
    return visible(decoder.decode(bytes.subarray(start, end)))
  const near = piecesOf(document, Math.max(0, token - NEAR), Math.min(ids.length, token + NEAR))
  const { text, from, to } = near.find((piece) => token < piece.to)!
  return to - from === 1 ? text : `${text} ${token - from + 1}/${to - from}`
}

/** The same part of the bytes, widened to characters that are whole. */
function whole(bytes: Uint8Array, from: number, to: number): [number, number] {
  const isWithin = (at: number) => (bytes[at] & 0xc0) === 0x80
  while (isWithin(from)) from--
  while (isWithin(to)) to++
  return [from, to]
}

/** Tokens that stand together in the strip, since they share a character that a reader sees as one. */
export interface Piece {
  readonly text: string
  readonly from: number
  /** The first token after it. */
  readonly to: number
}

const segmenter = new Intl.Segmenter(undefined, { granularity: 'grapheme' })

/**
 * Tokens `from` … `to − 1` as pieces. A character as a reader sees it (👩‍🚀, नि) is never torn: all tokens that have a
 * part of it are one piece.
 */
export function piecesOf(document: TokenDocument, from: number, to: number): Piece[] {
  const { bytes, starts } = document
  const [first, last] = whole(bytes, starts[from], starts[to])
  const breaks = new Set<number>()
  let at = first
  for (const { segment } of segmenter.segment(decoder.decode(bytes.subarray(first, last)))) {
    breaks.add(at)
    at += encoder.encode(segment).length
  }
  const pieces: Piece[] = []
  let begin = from
  for (let token = from + 1; token <= to; token++) {
    // Two tokens of one place, as the bytes of a character where a tokenizer tells the character's place for each.
    if (token < to && (!breaks.has(starts[token]) || starts[token] === starts[token - 1])) continue
    const text = decoder.decode(bytes.subarray(...whole(bytes, starts[begin], endOf(document, token - 1))))
    pieces.push({ text: visible(text), from: begin, to: token })
    begin = token
  }
  return pieces
}
