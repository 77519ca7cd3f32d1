// The runs of cl100k_base:
// '(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|\s*[\r\n]|\s+(?!\S)|\s
// and of o200k_base (`words`), whose words scan-words.ts reads, behind the same leader:
// …|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+
import { BLANK, classOf, isLetter, isSpace, isSymbol, isWord, NEWLINE, SLASH, sizeOf } from './characters'
import { closed, next, pause } from './reader'
import {
  fallbackEnd,
  LETTERS,
  lastSpace,
  noteFallback,
  passSpace,
  pieceStart,
  SPACES,
  START,
  SYMBOL_LINES,
  SYMBOLS,
  UPPER_RUN,
} from './state'
import { text } from './window'

// @inline
function isInWord(kind: u32, words: bool): bool {
  return words ? isWord(kind) : isLetter(kind)
}

/** Whether a symbol or whitespace character leads: all but newlines do. The caller has handled numbers. */
// @inline
export function modernLeads(kind: u32, words: bool): bool {
  return !isInWord(kind, words) && kind !== NEWLINE
}

// @inline
export function modernRunOf(kind: u32, words: bool): i32 {
  return kind === NEWLINE ? SPACES : words ? UPPER_RUN : LETTERS
}

/** Any leader leads a word; symbols and newlines follow a symbol or a blank, whitespace follows whitespace. */
// @inline
export function modernRunAfter(first: u32, kind: u32, follower: u32, words: bool): i32 {
  if (isInWord(follower, words)) return words ? UPPER_RUN : LETTERS
  if (isSpace(kind) ? first === BLANK && isSymbol(follower) : isSymbol(follower) || follower === NEWLINE)
    return SYMBOLS
  return isSpace(kind) && isSpace(follower) ? SPACES : START
}

/** `linesLast`: whitespace at the end of the text stays one piece even with newlines in it. */
// @inline
export function endOfModernRun(at: i32, run: i32, words: bool, linesLast: bool): i32 {
  while (true) {
    const character = next(at)
    if (character === 0) {
      if (!closed) return pause(run, at)
      return !linesLast && run === SPACES && fallbackEnd > pieceStart ? fallbackEnd : at
    }
    const kind = classOf(character)
    const end = at + <i32>sizeOf(character)
    if (!words && run === LETTERS) {
      if (!isLetter(kind)) return at
    } else if (run === SPACES) {
      if (!isSpace(kind)) return endOfSpaces(at)
      passSpace(at)
      if (kind === NEWLINE) noteFallback(end)
    } else if (kind === NEWLINE) {
      run = SYMBOL_LINES
    } else if (run === SYMBOL_LINES ? !words || load<u8>(text + at) !== SLASH : !isSymbol(kind)) {
      return at
    }
    at = end
  }
}

/** Whitespace ends with its last newline; without one, it leaves its last character to what follows at `at`. */
function endOfSpaces(at: i32): i32 {
  return fallbackEnd > pieceStart ? fallbackEnd : lastSpace > pieceStart ? lastSpace : at
}
