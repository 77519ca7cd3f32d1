// Long pieces: linear backtracking, as in `bpe` of github/rust-gems (MIT licence), made to work on a part of a piece.
//
// Takes the longest token that stays apart from the token before it (`staysApart`); if there is none, takes the last
// token back and tries a shorter one. Marks places from which no token led on as dead. At any time the tokens on the
// stack are the merged form of the text that they cover: tokens whose neighbours all stay apart never merge.

import { reserve } from '../own-memory'
import { beginPiece, forgetText, moveText, pieceStart, text, textEnd } from './scan'
import { lengthOf, longestToken, MAX_TOKEN, NONE, putIds, shorterThan, staysApart } from './tables'

// The first tokens of the stack are settled: no text to come can change them. These are written out and forgotten, except
// the last one, which stays at the bottom because the next token depends on it. The host reads and writes these variables
// to give the window to another document.
//
//     text  | forgotten | covered by the stack | to be merged | maybe the next piece's
//       pieceStart  stackStart             stackEnd        knownEnd
//
//     stack | forgotten's last | written | settled | may be taken back
//           0            carriedCount  writtenCount  settledCount   stackDepth
//
// Invariants between two calls from the host, if isLong:
// - pieceStart ≤ stackStart ≤ stackEnd ≤ knownEnd ≤ textEnd;
// - carriedCount ≤ writtenCount ≤ settledCount ≤ stackDepth, and carriedCount is 0 or 1;
// - the tokens from carriedCount on are the merged form of the text from stackStart to stackEnd.
// Unless isLong, no place of the window is marked dead.

/** Whether the piece is being merged a part at a time. */
export let isLong: bool = false
/** The piece reaches at least to here; it ends here if `isWhole`. */
export let knownEnd: i32 = 0
export let isWhole: bool = false
export let stackStart: i32 = 0
export let stackEnd: i32 = 0
export let stackDepth: i32 = 0
export let settledCount: i32 = 0
export let writtenCount: i32 = 0
export let carriedCount: i32 = 0
/** The token to try at stackEnd, or NONE for the longest that fits. */
export let trial: u32 = 0
/** For each place in the text, 1 if no token led on from it, else 0; a long piece's tokens. */
export let dead: usize = 0
export let stack: usize = 0
/** Bytes of the window, which `compact` reserves. */
let capacity: i32 = 1
/** Bytes behind the text that may be read, but whose values are never used. */
const SLACK: usize = 64

/** Tries of tokens in one call, some tenths of a millisecond. A byte of a repeated character takes up to thirty. */
const TRIES: i32 = 8192
let tries: i32 = 0
/** Whether `mergeLong` needs no other call before more text. */
export let isReady: bool = false

/** Call it before the work of a call. */
export function forgetTries(): void {
  tries = 0
}

// @inline
export function isOutOfTries(): bool {
  return tries >= TRIES
}

/** Begins to merge the piece a part at a time. */
export function beginLong(): void {
  isLong = true
  stackStart = stackEnd = pieceStart
  stackDepth = carriedCount = writtenCount = settledCount = 0
  trial = NONE
  isWhole = false
}

/** Notes that the piece reaches to `end` at least, or ends there. */
export function reachTo(end: i32, isItsEnd: bool): void {
  knownEnd = end
  isWhole = isItsEnd
}

/** Settled tokens of an unfinished piece are written out when they cover this many bytes. */
const KEEP: i32 = 16384
const LONGEST: i32 = <i32>MAX_TOKEN
/** How many bytes back the search for the settled part goes. */
const MAX_BACK: i32 = 3072

/** Writes the tokens of the whole piece `at … end` to `out`, which it uses as the stack; returns where they end. */
export function encodeLong(at: usize, end: usize, out: usize): usize {
  const flags = dead - text
  const bottom = out
  let place = at
  let backs = false
  let token = longestToken(at, end)
  while (true) {
    tries++
    const after = place + lengthOf(token)
    if (load<u8>(after + flags) === 0 && (out === bottom || staysApart(load<u32>(out - 4), token))) {
      store<u32>(out, token)
      out += 4
      place = after
      if (place === end) break
      token = longestToken(place, end)
      continue
    }
    token = shorterThan(token)
    if (token !== NONE) continue
    backs = true
    store<u8>(place + flags, 1)
    out -= 4
    token = load<u32>(out)
    place -= lengthOf(token)
  }
  if (backs) memory.fill(at + flags, 0, end - at)
  return out
}

/** Results of `advance`: more text is needed; the tries are used up; only writing is left to do. */
const HUNGRY: i32 = 0
const TIRED: i32 = 1
const DONE: i32 = 2

/** Pushes and pops tokens until the tries are used up. */
function advance(): i32 {
  while (tries < TRIES) {
    if (stackEnd === knownEnd && isWhole) return DONE
    // The longest token is known only if as many bytes are there as a token can have.
    if (!isWhole && knownEnd - stackEnd < LONGEST) return HUNGRY
    let token = trial === NONE ? longestToken(text + stackEnd, text + knownEnd) : trial
    trial = NONE
    const last = stackDepth > 0 ? load<u32>(stack + ((stackDepth - 1) << 2)) : NONE
    while (token !== NONE) {
      tries++
      const after = stackEnd + <i32>lengthOf(token)
      if (load<u8>(dead + after) === 0 && (last === NONE || staysApart(last, token))) {
        store<u32>(stack + (stackDepth++ << 2), token)
        stackEnd = after
        break
      }
      token = shorterThan(token)
    }
    if (token !== NONE) continue
    store<u8>(dead + stackEnd, 1)
    if (stackDepth === writtenCount) unreachable()
    stackDepth--
    stackEnd -= <i32>lengthOf(last)
    trial = last
  }
  return TIRED
}

/** How many tokens of the stack no further text can change; the number already written while these are few. */
function countSettled(): i32 {
  if (stackEnd - stackStart < KEEP) return writtenCount
  const end = min(knownEnd, stackEnd + LONGEST)
  // In any longer text some token reaches over `end` or ends there, and starts at one of the last places. If the
  // merged forms up to each of these places have their first tokens in common, every longer text begins with
  // these tokens too.
  let place = stackEnd
  let count = stackDepth
  for (let back = LONGEST + 64; back <= MAX_BACK; back *= 2) {
    while (count > writtenCount && place > end - back)
      place -= <i32>lengthOf(load<u32>(stack + (--count << 2)))
    if (count <= writtenCount) return writtenCount
    if (allPass(place, end, load<u32>(stack + ((count - 1) << 2)))) return count
  }
  return writtenCount
}

const LASTS: usize = memory.data((MAX_BACK + LONGEST + 1) * 4, 16)

/** Whether the merged form of the text up to each of the places `end − LONGEST … end` has a token that ends at `place`. */
function allPass(place: i32, end: i32, before: u32): bool {
  // For each form: its last token if the form has a token that ends at `place`, else NONE.
  memory.fill(LASTS, 0xff, (end - place + 1) << 2)
  store<u32>(LASTS, before)
  for (let start = place; start < end; start++) {
    const last = load<u32>(LASTS + ((start - place) << 2))
    if (last === NONE) continue
    for (let token = longestToken(text + start, text + end); token !== NONE; token = shorterThan(token)) {
      const after = LASTS + ((start - place + <i32>lengthOf(token)) << 2)
      if (load<u32>(after) === NONE && staysApart(last, token)) store<u32>(after, token)
    }
  }
  for (let at = end - LONGEST; at <= end; at++)
    if (load<u32>(LASTS + ((at - place) << 2)) === NONE) return false
  return true
}

/** Writes the ids of settled tokens to `out`, until they pass `end`; returns where they end. */
function writeSettled(out: usize, end: usize): usize {
  for (; writtenCount < settledCount && out < end; writtenCount++)
    out = putIds(load<u32>(stack + (writtenCount << 2)), out)
  return out
}

/** Forgets the written tokens except the last, from which the next token must stay apart. */
function forgetWritten(): void {
  let bytes = 0
  for (let i = carriedCount; i < writtenCount; i++) bytes += <i32>lengthOf(load<u32>(stack + (i << 2)))
  memory.fill(dead + stackStart, 0, bytes)
  memory.copy(stack, stack + ((writtenCount - 1) << 2), (stackDepth - writtenCount + 1) << 2)
  stackStart += bytes
  stackDepth -= writtenCount - 1
  carriedCount = writtenCount = settledCount = 1
}

/**
 * Goes on with the long piece; returns where its ids end, which are written to `out`, until they pass `end`. Sets `isReady`
 * if the piece is done or needs more text first.
 */
export function mergeLong(out: usize, end: usize): usize {
  isReady = true
  while (true) {
    if (writtenCount < settledCount) {
      out = writeSettled(out, end)
      isReady = writtenCount === settledCount
      if (!isReady) return out
      if (!isWhole || stackEnd !== knownEnd || writtenCount !== stackDepth) forgetWritten()
    }
    if (isWhole && stackEnd === knownEnd && writtenCount === stackDepth) {
      memory.fill(dead + stackStart, 0, knownEnd - stackStart + 1)
      isLong = false
      beginPiece(knownEnd)
      return out
    }
    const progress = advance()
    settledCount = progress === DONE ? stackDepth : countSettled()
    isReady = progress !== TIRED
    if (!isReady || (progress === HUNGRY && settledCount === writtenCount)) return out
  }
}

/** Makes room for `bytes` behind the text, moving it if needed; returns the address where they go. */
export function makeRoom(bytes: i32): usize {
  if (textEnd + bytes > capacity) compact(bytes)
  return text + textEnd
}

/** Moves the text that is still needed to the window's start. Half of the window is free afterwards, with `bytes` more. */
export function compact(bytes: i32): void {
  const start = isLong ? stackStart : pieceStart
  const live = textEnd - start
  let to = text
  const oldDead = dead
  const oldStack = stack
  if (live + bytes > capacity / 2) {
    while (live + bytes > capacity / 2) capacity *= 2
    to = reserve(<usize>capacity + SLACK)
    dead = reserve(<usize>capacity + SLACK)
    stack = reserve((<usize>capacity + 1) << 2)
  }
  moveText(start, to)
  if (isLong) {
    memory.copy(dead, oldDead + start, live + 1)
    if (dead === oldDead) memory.fill(dead + live + 1, 0, start)
    else memory.copy(stack, oldStack, stackDepth << 2)
  }
  stackStart -= start
  stackEnd -= start
  knownEnd -= start
}

/** Empties the window for another document. */
export function clear(): void {
  if (isLong) memory.fill(dead + stackStart, 0, textEnd - stackStart + 1)
  isLong = false
  forgetText()
}
