// The pieces of o200k_base. Words change from upper to lower case at most once and carry their contraction:
// HTTPServer's stays whole, aBc is a and Bc. With X = Lu Lt Lm Lo M and Y = Ll Lm Lo M:
// [^\r\n\p{L}\p{N}]?X*Y+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|[^\r\n\p{L}\p{N}]?X+Y*(?i:'s|…)?|\p{N}{1,3}|
//  ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+
import {
  BLANK,
  classOf,
  isSpace,
  isSymbol,
  LOWER,
  MARK,
  NEWLINE,
  NUMBER,
  QUOTE,
  SLASH,
  sizeOf,
  UPPER,
} from './characters'
import { closed, contractionAt, endOfNumbers, horizon, next, pause, WAIT } from './scan'
import { endOfSpaces } from './scan-cl100k'
import {
  beginRun,
  fallBackTo,
  fallbackEnd,
  LOWER_RUN,
  MIXED_RUN,
  passSpace,
  pieceRun,
  pieceStart,
  SPACES,
  START,
  SYMBOL_LINES,
  SYMBOLS,
  scanEnd,
  UPPER_RUN,
} from './state'
import { text } from './window'

// @inline
function isWord(kind: u32): bool {
  return kind - UPPER <= MARK - UPPER
}

/** The end of the piece that the text goes on with, or WAIT. */
export function scanO200k(): i32 {
  let at = scanEnd
  let run = pieceRun
  if (run === START) {
    let character = next(at)
    if (character === 0) return WAIT
    const first = load<u8>(text + at)
    const kind = classOf(character)
    if (kind === NUMBER) return endOfNumbers(at)
    beginRun(at)
    if (isWord(kind)) {
      run = UPPER_RUN
    } else if (kind === NEWLINE) {
      run = SPACES
    } else {
      const second = at + <i32>sizeOf(character)
      character = next(second)
      if (character === 0) return closed ? second : WAIT
      const follower = classOf(character)
      if (isWord(follower)) run = UPPER_RUN
      else if (
        isSpace(kind) ? first === BLANK && isSymbol(follower) : isSymbol(follower) || follower === NEWLINE
      )
        run = SYMBOLS
      else if (isSpace(kind) && isSpace(follower)) run = SPACES
      else return second
      at = second
    }
  }
  return run >= UPPER_RUN ? endOfWord(at, run) : endOfRun(at, run)
}

/** UPPER_RUN: upper case only; MIXED_RUN: also letters without case and marks; LOWER_RUN: cannot go back to upper case. */
function endOfWord(at: i32, run: i32): i32 {
  while (true) {
    const character = next(at)
    if (character === 0) break
    const kind = classOf(character)
    if (kind === UPPER) {
      if (run === LOWER_RUN) return at
    } else if (kind === LOWER) {
      run = LOWER_RUN
    } else if (isWord(kind)) {
      if (run !== LOWER_RUN) run = MIXED_RUN
      fallBackTo(at + <i32>sizeOf(character))
    } else {
      break
    }
    at += <i32>sizeOf(character)
  }
  if (at === horizon || next(at) === 0) {
    if (!closed) return pause(run, at)
  }
  // No lower case came: a letter without case counts as such, what follows the last one begins a new word.
  if (run === MIXED_RUN && fallbackEnd < at) return fallbackEnd
  if (at === horizon || load<u8>(text + at) !== QUOTE) return at
  const length = contractionAt(at, true)
  return length === WAIT ? pause(run, at) : at + length
}

function endOfRun(at: i32, run: i32): i32 {
  while (true) {
    const character = next(at)
    if (character === 0) {
      if (!closed) return pause(run, at)
      return run === SPACES && fallbackEnd > pieceStart ? fallbackEnd : at
    }
    const kind = classOf(character)
    const end = at + <i32>sizeOf(character)
    if (run === SPACES) {
      if (!isSpace(kind)) return endOfSpaces(at)
      passSpace(at)
      if (kind === NEWLINE) fallBackTo(end)
    } else if (kind === NEWLINE) {
      run = SYMBOL_LINES
    } else if (run === SYMBOL_LINES ? load<u8>(text + at) !== SLASH : !isSymbol(kind)) {
      return at
    }
    at = end
  }
}
