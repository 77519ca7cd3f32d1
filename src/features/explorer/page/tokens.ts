export interface TokenDocument {
  readonly text: string
  readonly ids: Int32Array
  /** The places in the text's UTF-8 where each token begins and the last one ends: n + 1 numbers. */
  readonly starts: Int32Array
  /** The model has no tokenizer here: its tokens are ids, and the text is their numbers. */
  readonly isNumbers?: boolean
}

/** The places where tokens begin in a text: n + 1, the last one its end. */
interface Places {
  /** The UTF-16 index of the character that a token begins in. */
  readonly chars: Int32Array
  /** The byte at which that character begins: less than the token's own where that begins within the character. */
  readonly bytes: Int32Array
}

/** @param starts where tokens begin in the text's UTF-8, and where the last one ends */
export function placesOf(text: string, starts: Int32Array): Places {
  const chars = new Int32Array(starts.length).fill(text.length)
  const bytes = starts.slice()
  let byte = 0
  let token = 0
  for (let index = 0; index < text.length && token < starts.length; ) {
    const code = text.codePointAt(index) as number
    const end = byte + (code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4)
    while (token < starts.length && starts[token] < end) {
      bytes[token] = byte
      chars[token++] = index
    }
    byte = end
    index += code < 0x10000 ? 1 : 2
  }
  return { chars, bytes }
}

/** The text of a token, its broken characters whole: half an emoji is the emoji. */
export function tokenText(text: string, { chars, bytes }: Places, starts: Int32Array, token: number): string {
  const next = chars[token + 1]
  const isWhole = starts[token + 1] === bytes[token + 1]
  return text.slice(chars[token], isWhole ? next : next + charLength(text, next))
}

/** The bytes of a token: "é" → [0xc3, 0xa9]. */
export function tokenBytes(text: string, places: Places, starts: Int32Array, token: number): Uint8Array {
  const skipped = starts[token] - places.bytes[token]
  const whole = new TextEncoder().encode(tokenText(text, places, starts, token))
  return whole.subarray(skipped, skipped + starts[token + 1] - starts[token])
}

export function hexOf(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join(' ')
}

/** A token's text as it is shown: spaces and line ends as signs. */
export function visible(text: string): string {
  return text.replaceAll(' ', '·').replaceAll('\n', '↵').replaceAll('\t', '→').replaceAll('\r', '␍')
}

function charLength(text: string, index: number): number {
  return (text.codePointAt(index) as number) < 0x10000 ? 1 : 2
}

const knownPlaces = new WeakMap<TokenDocument, Places>()

/** The places where a document's tokens begin; computed once for each answer. */
export function placesIn(document: TokenDocument): Places {
  let places = knownPlaces.get(document)
  if (places === undefined) {
    places = placesOf(document.text, document.starts)
    knownPlaces.set(document, places)
  }
  return places
}

/** The text of a document's token, with signs for spaces and line ends; '' behind its last token. */
export function visibleText(document: TokenDocument, token: number): string {
  if (token >= document.ids.length) return ''
  return visible(tokenText(document.text, placesIn(document), document.starts, token))
}

/** Tokens that stand together in the strip, since they share a character that a reader sees as one. */
export interface Piece {
  readonly text: string
  readonly from: number
  /** The first token after it. */
  readonly to: number
}

/** Most of the code units that are looked at for one piece: more than any character that is written has. */
const LONGEST = 64

/**
 * Tokens `from` … `to − 1` as pieces. A character as a reader sees it (👩‍🚀, नि) is never torn: all tokens that have a
 * part of it are one piece.
 */
export function piecesOf(
  text: string,
  { chars, bytes }: Places,
  starts: Int32Array,
  from: number,
  to: number,
): Piece[] {
  const breaks = breaksOf(text, chars[from], chars[to])
  const pieces: Piece[] = []
  let begin = from
  for (let token = from + 1; token <= to; token++) {
    const isBreak = token === to || (starts[token] === bytes[token] && breaks(chars[token]))
    if (!isBreak) continue
    pieces.push({ text: text.slice(chars[begin], chars[token]), from: begin, to: token })
    begin = token
  }
  return pieces
}

/** Says of an index of the text whether a character that a reader sees begins there. */
function breaksOf(text: string, from: number, to: number): (index: number) => boolean {
  const part = text.slice(from, to)
  if (/^[\x20-\x7e\n]*$/.test(part)) return () => true
  const segments = new Intl.Segmenter(undefined, { granularity: 'grapheme' }).segment(
    text.slice(from, to + LONGEST),
  )
  const begins = new Set(Array.from(segments, ({ index }) => from + index))
  return (index) => begins.has(index)
}

/**
 * Lines of at most `columns` characters, none torn within a token: the first token of each line, and at the end the
 * number of tokens. A hundred thousand tokens take some milliseconds.
 */
export function linesOf(text: string, { chars }: Places, columns: number): Int32Array {
  const tokens = chars.length - 1
  const lines: number[] = [0]
  let used = 0
  for (let token = 0; token < tokens; token++) {
    const width = Math.max(1, widthOf(text, chars[token], chars[token + 1]))
    if (used > 0 && used + width > columns) {
      lines.push(token)
      used = 0
    }
    used += width
  }
  lines.push(tokens)
  return Int32Array.from(lines)
}

/** Columns that a part of the text takes: two for what lies beyond the alphabets of the first planes. */
function widthOf(text: string, from: number, to: number): number {
  let width = 0
  for (let index = from; index < to; index++) width += text.charCodeAt(index) < 0x1100 ? 1 : 2
  return width
}

/** The line of a token, by bisection. */
export function lineOf(lines: Int32Array, token: number): number {
  let low = 0
  let high = lines.length - 2
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if (lines[middle] <= token) low = middle
    else high = middle - 1
  }
  return low
}
