// The scanners' view of the text: character by character, up to a horizon.
import { characterAt, classOf, contraction, NUMBER, sizeOf } from './characters'
import { pauseRun } from './state'
import { text } from './window'

/** The piece's end is not known before more text comes. */
export const WAIT: i32 = i32.MIN_VALUE

/** How far a scan may look, and whether the text ends there. */
export let horizon: i32 = 0
export let closed: bool = false

export function look(end: i32, isEnd: bool): void {
  horizon = end
  closed = isEnd
}

/** Remembers that the piece is a run of this kind up to `at`, and waits. */
export function pause(run: i32, at: i32): i32 {
  pauseRun(run, at)
  return WAIT
}

// @inline
export function next(at: i32): u32 {
  return characterAt(text + at, text + horizon)
}

/** Bytes of the contraction that the quote at `at` begins; 0: none; WAIT: it may lie beyond the horizon. */
export function contractionAt(at: i32, anyCase: bool): i32 {
  if (horizon - at < 3 && !closed) return WAIT
  return <i32>contraction(text + at, text + horizon, anyCase)
}

/** End of a group of at most `most` numbers, of which the first is at `at`. */
export function endOfNumbers(at: i32, most: i32): i32 {
  for (let count = 0; count < most; count++) {
    const character = next(at)
    if (character === 0) return closed ? at : WAIT
    if (classOf(character) !== NUMBER) return at
    at += <i32>sizeOf(character)
  }
  return at
}
