import { CharacterClass } from './character-class.js'
import { BLANK, endsContraction, isLetter, isSpace, QUOTE, Scanner, secondOfContraction } from './scanner.js'

const _START = 0
const QUOTED = 1 // the piece is '
const QUOTED_LETTER = 2 // the piece is 'r, 'v or 'l
const LETTERS = 3
const NUMBERS = 4
const ONE_OTHER = 5
const OTHERS = 6
const OTHERS_NEWLINES = 7
const ONE_BLANK = 8
const SPACES = 9

/**
 * `'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|\s*[\r\n]|\s+(?!\S)|\s`
 */
export class Cl100kScanner extends Scanner {
  #second = 0
  #numbers = 0
  #lastStart = 0
  #lastCodePoint = 0
  #newlineEnd = 0 // after the last CR or LF of the whitespace run, 0: none

  push(kind: number, codePoint: number, start: number, end: number): void {
    switch (this.state) {
      case QUOTED:
        if (endsContraction(codePoint)) {
          this.cut(end)
          return
        }
        this.#second = secondOfContraction(codePoint)
        if (this.#second) {
          this.state = QUOTED_LETTER
          return
        }
        this.state = ONE_OTHER
        this.push(kind, codePoint, start, end)
        return
      case QUOTED_LETTER:
        if ((codePoint | 0x20) === this.#second) {
          this.cut(end)
          return
        }
        this.state = LETTERS
        this.push(kind, codePoint, start, end)
        return
      case LETTERS:
        if (isLetter(kind)) return
        break
      case NUMBERS:
        if (kind !== CharacterClass.number) break
        if (++this.#numbers === 3) this.cut(end)
        return
      case ONE_OTHER:
        if (isLetter(kind)) {
          this.state = LETTERS
          return
        }
        this.state = OTHERS
        this.push(kind, codePoint, start, end)
        return
      case OTHERS:
        if (isOther(kind)) return
        if (kind !== CharacterClass.newline) break
        this.state = OTHERS_NEWLINES
        return
      case OTHERS_NEWLINES:
        if (kind === CharacterClass.newline) return
        break
      case ONE_BLANK:
        if (isOther(kind)) {
          this.state = OTHERS
          return
        }
        this.state = SPACES
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
        // One whitespace character is left, no newline: it may lead letters, a blank other characters too.
        if (isLetter(kind)) this.state = LETTERS
        else if (this.#lastCodePoint === BLANK && isOther(kind)) this.state = OTHERS
        else break
        return
    }
    if (start > this.pieceStart) this.cut(start)
    if (codePoint === QUOTE) this.state = QUOTED
    else if (codePoint === BLANK) this.state = ONE_BLANK
    else if (isLetter(kind)) this.state = LETTERS
    else if (isSpace(kind)) this.state = SPACES
    else if (kind === CharacterClass.number) this.state = NUMBERS
    else this.state = ONE_OTHER
    this.#numbers = 1
    this.#newlineEnd = 0
    this.#remember(kind, codePoint, start, end)
  }

  finish(end: number): void {
    if (end > this.pieceStart) this.cut(end)
  }

  #remember(kind: number, codePoint: number, start: number, end: number): void {
    this.#lastStart = start
    this.#lastCodePoint = codePoint
    if (kind === CharacterClass.newline) this.#newlineEnd = end
  }
}

const isOther = (kind: number): boolean => kind === CharacterClass.other || kind === CharacterClass.mark
