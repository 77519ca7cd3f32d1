// The runs of gpt2, r50k_base and p50k_base:
// '(?:[sdmt]|ll|ve|re)| ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++|\s++$|\s+(?!\S)|\s
import { BLANK, classOf, isLetter, isSpace, NUMBER, sizeOf } from './characters'
import { closed, next, pause } from './reader'
import { LETTERS, lastSpace, NUMBERS, passSpace, pieceStart, SPACES, SYMBOLS } from './state'

//
// `digits`: the text was first cut around every number, which is then a piece by itself: a blank does not lead it, and
// whitespace before it ends as it would at the end of the text.
/** A blank leads letters, numbers and symbols, and belongs to whitespace. */
// @inline
export function gpt2Leads(first: u32): bool {
  return first === BLANK
}

// @inline
export function gpt2RunOf(kind: u32): i32 {
  return isLetter(kind) ? LETTERS : kind === NUMBER ? NUMBERS : isSpace(kind) ? SPACES : SYMBOLS
}

// @inline
export function endOfGpt2Run(at: i32, run: i32, digits: bool): i32 {
  while (true) {
    const character = next(at)
    if (character === 0) return closed ? at : pause(run, at)
    const follower = gpt2RunOf(classOf(character))
    if (follower !== run)
      // The last of several whitespace characters is left to what follows.
      return run === SPACES && lastSpace > pieceStart && !(digits && follower === NUMBERS) ? lastSpace : at
    passSpace(at)
    at += <i32>sizeOf(character)
  }
}
