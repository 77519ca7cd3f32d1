// The pieces of cl100k_base:
// '(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|\s*[\r\n]|\s+(?!\S)|\s
import { BLANK, classOf, isLetter, isSpace, isSymbol, NEWLINE, NUMBER, QUOTE, sizeOf } from './characters'
import { closed, contractionAt, endOfNumbers, next, pause, WAIT } from './scan'
import {
  beginRun,
  fallBackTo,
  fallbackEnd,
  LETTERS,
  lastSpace,
  passSpace,
  pieceRun,
  pieceStart,
  SPACES,
  START,
  SYMBOL_LINES,
  SYMBOLS,
  scanEnd,
} from './state'
import { text } from './window'

/** The end of the piece that the text goes on with, or WAIT. */
export function scanCl100k(): i32 {
  let at = scanEnd
  let run = pieceRun
  if (run === START) {
    let character = next(at)
    if (character === 0) return WAIT
    const first = load<u8>(text + at)
    if (first === QUOTE) {
      const length = contractionAt(at, true)
      if (length !== 0) return length === WAIT ? WAIT : at + length
    }
    const kind = classOf(character)
    if (kind === NUMBER) return endOfNumbers(at)
    beginRun(at)
    if (isLetter(kind)) {
      run = LETTERS
    } else if (kind === NEWLINE) {
      run = SPACES
    } else {
      const second = at + <i32>sizeOf(character)
      character = next(second)
      if (character === 0) return closed ? second : WAIT
      const follower = classOf(character)
      if (isLetter(follower)) run = LETTERS
      else if (
        isSymbol(kind) ? isSymbol(follower) || follower === NEWLINE : first === BLANK && isSymbol(follower)
      )
        run = SYMBOLS
      else if (isSpace(kind) && isSpace(follower)) run = SPACES
      else return second
      at = second
    }
  }
  return endOfRun(at, run)
}

function endOfRun(at: i32, run: i32): i32 {
  while (true) {
    const character = next(at)
    if (character === 0) return closed ? at : pause(run, at)
    const kind = classOf(character)
    const end = at + <i32>sizeOf(character)
    if (run === LETTERS) {
      if (!isLetter(kind)) return at
    } else if (run === SPACES) {
      if (!isSpace(kind)) return endOfSpaces(at)
      passSpace(at)
      if (kind === NEWLINE) fallBackTo(end)
    } else if (kind === NEWLINE) {
      run = SYMBOL_LINES
    } else if (run === SYMBOL_LINES || !isSymbol(kind)) {
      return at
    }
    at = end
  }
}

/** Whitespace ends with its last newline; without one, it leaves its last character to what follows at `at`. */
export function endOfSpaces(at: i32): i32 {
  return fallbackEnd > pieceStart ? fallbackEnd : lastSpace > pieceStart ? lastSpace : at
}
