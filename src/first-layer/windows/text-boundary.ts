/** Where a text is cut by preference. */
export const BOUNDARIES = ['token', 'line', 'sentence'] as const
export type Boundary = (typeof BOUNDARIES)[number]

const [TAB, NEWLINE, RETURN, SPACE] = [0x09, 0x0a, 0x0d, 0x20]
/** Ends of sentences in ASCII, behind which white space stands: `.`, `!`, `?`. */
const ENDERS = [0x2e, 0x21, 0x3f]
/** Closing marks behind them: `"`, `'`, `)`, `]`, `}`. */
const CLOSERS = [0x22, 0x27, 0x29, 0x5d, 0x7d]
/** Ends of sentences of three bytes, some with no white space behind them: 。！？｡, … and the Devanagari danda. */
const WIDE_ENDERS = ['。', '！', '？', '｡', '…', '।', '؟', '۔'].map((mark) => Buffer.from(mark))
/** Closing marks of more bytes. */
const WIDE_CLOSERS = ['”', '’', '»', '」', '』', '）'].map((mark) => Buffer.from(mark))
/** Bytes from here on are parts of characters of several bytes. */
const FIRST_WIDE = 0x80
/** Bytes that are looked at before a place. */
const LOOK_BACK = 256
/** Ends that count without white space behind them, in scripts that write none. */
const UNSPACED = 4

/**
 * Whether a place in a text, UTF-8, is one of preference.
 *
 * `line`: behind a line's end, and the spaces and tabs that follow it. `sentence`: behind an end of a sentence, its
 * closing marks and white space, or behind an empty line. A full stop of an abbreviation counts too.
 *
 * @param at the number of bytes before the place
 */
export function isBoundary(text: Uint8Array, at: number, boundary: Boundary): boolean {
  if (boundary === 'token' || at === 0 || at === text.length) return true
  return boundary === 'line' ? isLineStart(text, at) : isSentenceStart(text, at)
}

function isLineStart(text: Uint8Array, at: number): boolean {
  const least = Math.max(0, at - LOOK_BACK)
  let before = at - 1
  while (before >= least && (text[before] === SPACE || text[before] === TAB)) before--
  if (text[before] === RETURN && text[before + 1] === NEWLINE) return false // the two are one end
  return before >= least && (text[before] === NEWLINE || text[before] === RETURN)
}

function isSentenceStart(text: Uint8Array, at: number): boolean {
  const least = Math.max(0, at - LOOK_BACK)
  let before = at
  let lines = 0
  while (before > least && isSpace(text[before - 1]!)) if (text[--before] === NEWLINE) lines++
  if (lines > 1) return true
  const isSpaced = before < at || isSpace(text[at]!)
  while (before > least) {
    const closer = closerBefore(text, before)
    if (closer === 0) break
    before -= closer
  }
  if (before === 0 || text[before - 1]! < FIRST_WIDE) return isSpaced && ENDERS.includes(text[before - 1]!)
  const wide = WIDE_ENDERS.findIndex((mark) => endsWith(text, before, mark))
  return wide >= 0 && (isSpaced || wide < UNSPACED)
}

/** Bytes of the closing mark that ends at `at`; 0: there is none. */
function closerBefore(text: Uint8Array, at: number): number {
  if (at === 0 || text[at - 1]! < FIRST_WIDE) return Number(CLOSERS.includes(text[at - 1]!))
  return WIDE_CLOSERS.find((mark) => endsWith(text, at, mark))?.length ?? 0
}

function endsWith(text: Uint8Array, at: number, mark: Uint8Array): boolean {
  return at >= mark.length && mark.every((byte, i) => text[at - mark.length + i] === byte)
}

function isSpace(byte: number): boolean {
  return byte === SPACE || (byte >= TAB && byte <= RETURN)
}
