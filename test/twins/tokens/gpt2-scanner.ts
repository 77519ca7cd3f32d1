import { CharacterClass } from './character-class.js'
import { BLANK, isLetter, isSpace, QUOTE, Scanner } from './scanner.js'

const QUOTED = 1 // the piece is '
const QUOTED_LETTER = 2 // the piece is 'r, 'v or 'l and may become 're, 've or 'll
const LETTERS = 3
const NUMBERS = 4
const OTHERS = 5
const ONE_BLANK = 6 // the piece is one U+0020
const SPACES = 7

/** `'(?:[sdmt]|ll|ve|re)| ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++|\s++$|\s+(?!\S)|\s` */
export class Gpt2Scanner extends Scanner {
  #second = 0
  #lastStart = 0 // of the last whitespace character
  #lastIsBlank = false

  push(kind: number, codePoint: number, start: number, end: number): void {
    switch (this.state) {
      case QUOTED:
        if (codePoint === 0x73 || codePoint === 0x64 || codePoint === 0x6d || codePoint === 0x74) {
          this.cut(end)
          return
        }
        if (codePoint === 0x72 || codePoint === 0x76 || codePoint === 0x6c) {
          this.state = QUOTED_LETTER
          this.#second = codePoint === 0x6c ? 0x6c : 0x65
          return
        }
        if (runOf(kind) === OTHERS) {
          this.state = OTHERS
          return
        }
        break
      case QUOTED_LETTER:
        if (codePoint === this.#second) {
          this.cut(end)
          return
        }
        this.cut(this.pieceStart + 1)
        this.state = LETTERS
        this.push(kind, codePoint, start, end)
        return
      case LETTERS:
      case NUMBERS:
      case OTHERS:
        if (runOf(kind) === this.state) return
        break
      case ONE_BLANK:
        this.state = runOf(kind)
        this.#remember(codePoint, start)
        return
      case SPACES:
        if (isSpace(kind)) {
          this.#remember(codePoint, start)
          return
        }
        // The last whitespace character is left to what follows.
        if (this.#lastStart > this.pieceStart) this.cut(this.#lastStart)
        if (this.#lastIsBlank) {
          this.state = ONE_BLANK
          this.push(kind, codePoint, start, end)
          return
        }
        break
    }
    if (start > this.pieceStart) this.cut(start)
    this.state = codePoint === QUOTE ? QUOTED : codePoint === BLANK ? ONE_BLANK : runOf(kind)
    this.#remember(codePoint, start)
  }

  finish(end: number): void {
    if (this.state === QUOTED_LETTER) this.cut(end - 1)
    if (end > this.pieceStart) this.cut(end)
  }

  #remember(codePoint: number, start: number): void {
    this.#lastStart = start
    this.#lastIsBlank = codePoint === BLANK
  }
}

function runOf(kind: number): number {
  return isLetter(kind) ? LETTERS : kind === CharacterClass.number ? NUMBERS : isSpace(kind) ? SPACES : OTHERS
}
