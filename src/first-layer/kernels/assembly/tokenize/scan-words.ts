// The words of o200k_base. A word changes from upper to lower case at most once and includes its contraction:
// HTTPServer's stays whole, aBc becomes a and Bc. With X = Lu Lt Lm Lo M and Y = Ll Lm Lo M:
// [^\r\n\p{L}\p{N}]?X*Y+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|[^\r\n\p{L}\p{N}]?X+Y*(?i:'s|…)?|…
import { classOf, isWord, LOWER, QUOTE, sizeOf, UPPER } from './characters'
import { closed, contractionAt, horizon, next, pause, WAIT } from './reader'
import { fallbackEnd, LOWER_RUN, MIXED_RUN, noteFallback } from './state'
import { text } from './window'

/**
 * The end of a word that is `run` up to `at`, or WAIT. UPPER_RUN: upper case so far; MIXED_RUN: also letters without case
 * and marks; LOWER_RUN: upper case ends the word.
 */
export function endOfWord(at: i32, run: i32): i32 {
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
      noteFallback(at + <i32>sizeOf(character))
    } else {
      break
    }
    at += <i32>sizeOf(character)
  }
  if (at === horizon || next(at) === 0) {
    if (!closed) return pause(run, at)
  }
  // Without a lower-case letter, letters without case count as lower case: a new word begins after the last of them.
  if (run === MIXED_RUN && fallbackEnd < at) return fallbackEnd
  if (at === horizon || load<u8>(text + at) !== QUOTE) return at
  const length = contractionAt(at, true)
  return length === WAIT ? pause(run, at) : at + length
}
