export interface TokenDocument {
  /** The text's UTF-8. */
  readonly bytes: Uint8Array
  readonly ids: Int32Array
  /** The places in the bytes where each token begins and the last one ends: n + 1 numbers. */
  readonly starts: Int32Array
  /** The model has no tokenizer here: its tokens are ids, and the text is their numbers. */
  readonly isNumbers?: boolean
}

const encoder = new TextEncoder()
const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

/** The bytes of a token, in hexadecimal: "é" → "c3 a9". */
export function hexOf({ bytes, starts }: TokenDocument, token: number): string {
  const own = bytes.subarray(starts[token], starts[token + 1])
  return Array.from(own, (byte) => byte.toString(16).padStart(2, '0')).join(' ')
}

/** A token's text as it is shown: spaces and line ends as signs. */
export function visible(text: string): string {
  return text.replaceAll(' ', '·').replaceAll('\n', '↵').replaceAll('\t', '→').replaceAll('\r', '␍')
}

/** The text of a document's token: half an emoji is the emoji. '' behind its last token. */
export function visibleText({ bytes, ids, starts }: TokenDocument, token: number): string {
  if (token >= ids.length) return ''
  return visible(decoder.decode(bytes.subarray(...whole(bytes, starts[token], starts[token + 1]))))
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
export function piecesOf({ bytes, starts }: TokenDocument, from: number, to: number): Piece[] {
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
    if (token < to && !breaks.has(starts[token])) continue
    const text = decoder.decode(bytes.subarray(...whole(bytes, starts[begin], starts[token])))
    pieces.push({ text: visible(text), from: begin, to: token })
    begin = token
  }
  return pieces
}
