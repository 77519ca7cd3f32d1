import { CharacterClass } from './character-class.js'

/**
 * Cuts a text into pieces, character by character: one state per way in which the piece can continue. Nothing
 * is read twice but a few characters after a failed lookahead, so a text may come in any parts.
 */
export abstract class Scanner {
  /** Receives each piece's end; a piece starts where the one before ended. */
  constructor(protected readonly onEnd: (end: number) => void) {}

  protected state = 0
  protected pieceStart = 0

  /** Takes the next character: its class and where its bytes are. */
  abstract push(kind: number, codePoint: number, start: number, end: number): void

  /** The text ends at `end`; the next character starts a new one. */
  abstract finish(end: number): void

  protected cut(end: number): void {
    if (end === this.pieceStart) throw new Error('an empty piece')
    this.onEnd(end)
    this.pieceStart = end
    this.state = 0
  }

  /** A text begins at `start`. */
  begin(start: number): void {
    this.pieceStart = start
    this.state = 0
  }
}

export const isLetter = (kind: number): boolean =>
  kind === CharacterClass.upper || kind === CharacterClass.lower || kind === CharacterClass.caseless

export const isSpace = (kind: number): boolean =>
  kind === CharacterClass.space || kind === CharacterClass.newline

export const QUOTE = 0x27
export const BLANK = 0x20

/** The endings of contractions in any case, `(?i:[sdmt]|ll|ve|re)`; U+017F is a case of `s`. */
export const endsContraction = (codePoint: number): boolean => {
  const lower = codePoint | 0x20
  return lower === 0x73 || lower === 0x64 || lower === 0x6d || lower === 0x74 || codePoint === 0x17f
}

/** The letter that must follow `r`, `v` or `l` in a contraction, 0 after any other character. */
export const secondOfContraction = (codePoint: number): number => {
  const lower = codePoint | 0x20
  return lower === 0x72 || lower === 0x76 ? 0x65 : lower === 0x6c ? 0x6c : 0
}
