import { CharacterClass } from './character-class.js'
import { BLANK, endsContraction, isSpace, QUOTE, Scanner, secondOfContraction } from './scanner.js'

const START = 0
const UPPER = 1 // an optional leader, then Lu and Lt only
const MIXED = 2 // …then some of Lm, Lo, M as well, which count as upper and as lower
const LOWER = 3 // …then what cannot go back to upper
const WORD_QUOTE = 4 // a word and '
const WORD_QUOTE_LETTER = 5 // a word and 'r, 'v or 'l
const NUMBERS = 6
const ONE_OTHER = 7
const OTHERS = 8
const OTHERS_NEWLINES = 9
const ONE_BLANK = 10
const SPACES = 11

const { upper, lower, caseless, mark, number, newline } = CharacterClass

/**
 * Words change from upper to lower case at most once, `HTTPServer` → `HTTPServer`, `aB` → `a`, `B`, and
 * carry their contraction, `it's` → `it's`. With X = Lu Lt Lm Lo M and Y = Ll Lm Lo M:
 *
 * `[^\r\n\p{L}\p{N}]?X*Y+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|[^\r\n\p{L}\p{N}]?X+Y*(?i:'s|…)?|\p{N}{1,3}|
 * ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+`
 */
export class O200kScanner extends Scanner {
  #second = 0
  #letter = 0
  #letterKind = 0
  #numbers = 0
  #wordEnd = 0 // MIXED: after the last character that is upper and lower; WORD_QUOTE: where the quote is
  #lastStart = 0
  #lastCodePoint = 0
  #newlineEnd = 0

  push(kind: number, codePoint: number, start: number, end: number): void {
    switch (this.state) {
      case UPPER:
      case MIXED:
      case LOWER:
        if (this.#continueWord(kind, end)) return
        if (this.state === MIXED && this.#wordEnd < start) {
          // No lower case follows: the first alternative gives back all upper case after #wordEnd.
          this.cut(this.#wordEnd)
          this.state = UPPER
        }
        if (codePoint !== QUOTE) break
        this.#wordEnd = start
        this.state = WORD_QUOTE
        return
      case WORD_QUOTE:
        if (endsContraction(codePoint)) {
          this.cut(end)
          return
        }
        this.#second = secondOfContraction(codePoint)
        if (this.#second) {
          this.#letter = codePoint
          this.#letterKind = kind
          this.state = WORD_QUOTE_LETTER
          return
        }
        this.#giveBackQuote()
        this.push(kind, codePoint, start, end)
        return
      case WORD_QUOTE_LETTER:
        if ((codePoint | 0x20) === this.#second) {
          this.cut(end)
          return
        }
        this.#giveBackQuote()
        this.push(this.#letterKind, this.#letter, start - 1, start)
        this.push(kind, codePoint, start, end)
        return
      case NUMBERS:
        if (kind !== number) break
        if (++this.#numbers === 3) this.cut(end)
        return
      case ONE_OTHER:
        if (this.#continueWord(kind, end)) return
        this.state = OTHERS
        this.push(kind, codePoint, start, end)
        return
      case OTHERS:
        if (isOther(kind)) return
        if (kind !== newline) break
        this.state = OTHERS_NEWLINES
        return
      case OTHERS_NEWLINES:
        if (kind === newline || codePoint === 0x2f) return
        break
      case ONE_BLANK:
        if (this.#continueWord(kind, end)) return
        this.state = isOther(kind) ? OTHERS : SPACES
        this.push(kind, codePoint, start, end)
        return
      case SPACES:
        if (isSpace(kind)) {
          this.#remember(kind, codePoint, start, end)
          return
        }
        if (this.#newlineEnd > this.pieceStart) this.cut(this.#newlineEnd)
        if (start === this.pieceStart) break
        if (this.#lastStart > this.pieceStart) this.cut(this.#lastStart)
        this.state = ONE_OTHER
        if (this.#continueWord(kind, end)) return
        if (this.#lastCodePoint !== BLANK || !isOther(kind)) break
        this.state = OTHERS
        return
    }
    if (start > this.pieceStart) this.cut(start)
    this.state = START
    if (this.#continueWord(kind, end)) return
    if (codePoint === BLANK) this.state = ONE_BLANK
    else if (isSpace(kind)) this.state = SPACES
    else if (kind === number) this.state = NUMBERS
    else this.state = ONE_OTHER
    this.#numbers = 1
    this.#newlineEnd = 0
    this.#remember(kind, codePoint, start, end)
  }

  finish(end: number): void {
    if (this.state === MIXED && this.#wordEnd < end) this.cut(this.#wordEnd)
    if (this.state === WORD_QUOTE || this.state === WORD_QUOTE_LETTER) {
      const letter = this.state === WORD_QUOTE_LETTER
      this.#giveBackQuote()
      if (letter) this.push(this.#letterKind, this.#letter, end - 1, end)
    }
    if (this.state === SPACES && this.#newlineEnd > this.pieceStart) this.cut(this.#newlineEnd)
    if (end > this.pieceStart) this.cut(end)
  }

  /** Whether the character continues a word, or begins one at a leader or at the piece's start. */
  #continueWord(kind: number, end: number): boolean {
    if (kind === caseless || kind === mark) {
      if (this.state !== LOWER) this.state = MIXED
      this.#wordEnd = end
      return true
    }
    if (kind === lower) {
      this.state = LOWER
      return true
    }
    if (kind !== upper || this.state === LOWER) return false
    if (this.state !== MIXED) this.state = UPPER
    return true
  }

  /** No contraction: the word ends before the quote, which begins the next piece. */
  #giveBackQuote(): void {
    this.cut(this.#wordEnd)
    this.push(CharacterClass.other, QUOTE, this.#wordEnd, this.#wordEnd + 1)
  }

  #remember(kind: number, codePoint: number, start: number, end: number): void {
    this.#lastStart = start
    this.#lastCodePoint = codePoint
    if (kind === newline) this.#newlineEnd = end
  }
}

const isOther = (kind: number): boolean => kind === CharacterClass.other || kind === CharacterClass.mark
