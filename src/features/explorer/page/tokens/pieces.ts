import type { Places } from './places.js'

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
