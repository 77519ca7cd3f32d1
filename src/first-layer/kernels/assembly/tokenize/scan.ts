// Finds where a piece ends, character by character, in any text: the part that the patterns share. blocks.ts is faster
// for ASCII.
import { classOf, NUMBER, QUOTE, sizeOf } from './characters'
import { closed, contractionAt, endOfNumbers, next, WAIT } from './reader'
import { endOfGpt2Run, gpt2Leads, gpt2RunOf } from './scan-gpt2'
import { endOfModernRun, modernLeads, modernRunAfter, modernRunOf } from './scan-modern'
import { endOfWord } from './scan-words'
import { beginRun, pieceRun, START, scanEnd, UPPER_RUN } from './state'
import { text } from './window'

/** The patterns, by the host's numbers. */
export const GPT2: i32 = 0
export const CL100K: i32 = 1
export const O200K: i32 = 2
/** Llama 3's: cl100k's without `\s++$`. */
export const LLAMA3: i32 = 3
/** Qwen 2's: Llama 3's with single numbers. */
export const QWEN2: i32 = 4
/** gpt2's, after a cut around each number. */
export const GPT2_DIGITS: i32 = 5

/** The end of the next piece of the text, or WAIT. */
// @inline
export function scan(pattern: i32): i32 {
  if (pattern === GPT2) return scanPiece(GPT2)
  if (pattern === CL100K) return scanPiece(CL100K)
  if (pattern === O200K) return scanPiece(O200K)
  if (pattern === LLAMA3) return scanPiece(LLAMA3)
  return pattern === QWEN2 ? scanPiece(QWEN2) : scanPiece(GPT2_DIGITS)
}

// @inline
function isGpt2(pattern: i32): bool {
  return pattern === GPT2 || pattern === GPT2_DIGITS
}

/**
 * A piece is a contraction, a group of numbers, or a run, which one character may lead. If an earlier scan had to stop
 * within a run, this one continues there. `pattern` is a constant in each of the calls above, so the compiler drops the
 * branches of the other patterns.
 */
// @inline
function scanPiece(pattern: i32): i32 {
  let at = scanEnd
  let run = pieceRun
  if (run === START) {
    const character = next(at)
    if (character === 0) return WAIT
    const first = load<u8>(text + at)
    if (pattern !== O200K && first === QUOTE) {
      const length = contractionAt(at, !isGpt2(pattern))
      if (length !== 0) return length === WAIT ? WAIT : at + length
    }
    const kind = classOf(character)
    if (pattern !== GPT2 && kind === NUMBER)
      return endOfNumbers(at, pattern === QWEN2 || pattern === GPT2_DIGITS ? 1 : 3)
    beginRun(at)
    if (leads(pattern, first, kind)) {
      const second = at + <i32>sizeOf(character)
      const follower = next(second)
      if (follower === 0) return closed ? second : WAIT
      run = runAfter(pattern, first, kind, classOf(follower))
      if (run === START) return second
      at = second
    } else {
      run = runOf(pattern, kind)
    }
  }
  return endOfRun(pattern, at, run)
}

/** Whether a piece's first character may lead a run of another kind. */
// @inline
function leads(pattern: i32, first: u32, kind: u32): bool {
  return isGpt2(pattern) ? gpt2Leads(first) : modernLeads(kind, pattern === O200K)
}

/** The run that `follower` begins behind a leading character; START: none, the character is a piece by itself. */
// @inline
function runAfter(pattern: i32, first: u32, kind: u32, follower: u32): i32 {
  if (pattern === GPT2_DIGITS && follower === NUMBER) return START
  return isGpt2(pattern) ? gpt2RunOf(follower) : modernRunAfter(first, kind, follower, pattern === O200K)
}

/** The run that the piece's first character begins. */
// @inline
function runOf(pattern: i32, kind: u32): i32 {
  return isGpt2(pattern) ? gpt2RunOf(kind) : modernRunOf(kind, pattern === O200K)
}

/** The end of the piece, which is a run up to `at`, or WAIT. */
// @inline
function endOfRun(pattern: i32, at: i32, run: i32): i32 {
  if (isGpt2(pattern)) return endOfGpt2Run(at, run, pattern === GPT2_DIGITS)
  if (pattern === O200K && run >= UPPER_RUN) return endOfWord(at, run)
  return endOfModernRun(at, run, pattern === O200K, pattern === CL100K)
}
