// The pieces of gpt2, r50k_base and p50k_base:
// '(?:[sdmt]|ll|ve|re)| ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++|\s++$|\s+(?!\S)|\s
import { BLANK, classOf, isLetter, isSpace, NUMBER, QUOTE, sizeOf } from './characters'
import { closed, contractionAt, next, pause, WAIT } from './scan'
import {
  beginRun,
  LETTERS,
  lastSpace,
  NUMBERS,
  passSpace,
  pieceRun,
  pieceStart,
  SPACES,
  START,
  SYMBOLS,
  scanEnd,
} from './state'
import { text } from './window'

// @inline
function runOf(kind: u32): i32 {
  return isLetter(kind) ? LETTERS : kind === NUMBER ? NUMBERS : isSpace(kind) ? SPACES : SYMBOLS
}

/** The end of the piece that the text goes on with, or WAIT. */
export function scanGpt2(): i32 {
  let at = scanEnd
  let run = pieceRun
  if (run === START) {
    let character = next(at)
    if (character === 0) return WAIT
    const first = load<u8>(text + at)
    if (first === QUOTE) {
      const length = contractionAt(at, false)
      if (length !== 0) return length === WAIT ? WAIT : at + length
    }
    beginRun(at)
    run = runOf(classOf(character))
    at += <i32>sizeOf(character)
    if (first === BLANK) {
      character = next(at)
      if (character === 0) return closed ? at : WAIT
      run = runOf(classOf(character))
    }
  }
  while (true) {
    const character = next(at)
    if (character === 0) break
    if (runOf(classOf(character)) !== run)
      // The last of several whitespace characters is left to what follows.
      return run === SPACES && lastSpace > pieceStart ? lastSpace : at
    passSpace(at)
    at += <i32>sizeOf(character)
  }
  return closed ? at : pause(run, at)
}
