// Long pieces: linear backtracking, as in `bpe` of github/rust-gems (MIT licence), made to work on a part of a piece.
//
// Takes the longest token that stays apart from the token before it (`staysApart`); if there is none, takes the last
// token back and tries a shorter one. Marks places from which no token led on as dead. At any time the tokens on the
// stack are the merged form of the text that they cover: tokens whose neighbours all stay apart never merge.

import { reserve } from '../own-memory'
import { certainEnd, forgetText, moveText, passPiece, pieceStart, text, textEnd } from './scan'
import { lengthOf, longestToken, MAX_TOKEN, NONE, putIds, shorterThan, staysApart } from './tables'

// The tokens of a piece that still grows. The first are settled: no text to come can change them. These are written out
// and forgotten, except the last one, which stays at the bottom because the next token depends on it. The host reads and
// writes these variables to give the window to another document.
//
//     text  | forgotten | covered by the stack | to be merged | maybe the next piece's
//       pieceStart  stackStart             stackEnd       certainEnd
//
// The tokens from carriedCount on, which is 0 or 1, are the merged form of the text from stackStart to stackEnd.

/** Whether a piece is being merged while it grows. Unless it is, no place of the window is marked dead. */
export let isLong: bool = false
export let stackStart: i32 = 0
export let stackEnd: i32 = 0
export let stackDepth: i32 = 0
export let carriedCount: i32 = 0
/** For each place in the text, 1 if no token led on from it, else 0; a long piece's tokens. */
export let dead: usize = 0
export let stack: usize = 0
/** Bytes of the window, which `compact` reserves. */
let capacity: i32 = 1
/** Bytes behind the text that may be read, but whose values are never used. */
const SLACK: usize = 64

/** Settled tokens of an unfinished piece are written out when they cover this many bytes. */
const KEEP: i32 = 16384
const LONGEST: i32 = <i32>MAX_TOKEN
/** How many bytes back the search for the settled part goes. */
const MAX_BACK: i32 = 3072

/** Where the tokens of the last `pushTokens` end. */
let covered: usize = 0

/** Tokens tried since the last `forgetTries`. A byte of a repeated character takes up to thirty. */
export let tries: i32 = 0

export function forgetTries(): void {
  tries = 0
}

/** Pushes tokens on the stack `bottom … top` for all but the last `left` of the bytes `at … end`, at most; returns its new top. */
function pushTokens(bottom: usize, top: usize, at: usize, end: usize, left: usize): usize {
  const flags = dead - text
  covered = at
  if (end - at <= left) return top
  let token = longestToken(at, end)
  while (true) {
    tries++
    const after = at + lengthOf(token)
    if (load<u8>(after + flags) === 0 && (top === bottom || staysApart(load<u32>(top - 4), token))) {
      store<u32>(top, token)
      top += 4
      at = after
      if (end - at <= left) break
      token = longestToken(at, end)
      continue
    }
    token = shorterThan(token)
    if (token !== NONE) continue
    store<u8>(at + flags, 1)
    top -= 4
    token = load<u32>(top)
    at -= lengthOf(token)
  }
  covered = at
  return top
}

/** Writes the tokens of the whole piece `at … end` to `out`; returns where they end. */
export function encodeWhole(at: usize, end: usize, out: usize): usize {
  const top = pushTokens(out, out, at, end, 0)
  memory.fill(at + dead - text, 0, end - at)
  return top
}

/** Begins to merge the piece while it grows. */
export function beginLong(): void {
  isLong = true
  stackStart = stackEnd = pieceStart
  stackDepth = carriedCount = 0
}

/** Goes on with the long piece, which ends at `end`; writes its ids to `out` and returns where they end. */
export function endLong(end: i32, out: usize): usize {
  push(end, 0)
  memory.fill(dead + stackStart, 0, end - stackStart + 1)
  isLong = false
  passPiece(end)
  return writeIds(stackDepth, out)
}

/** Goes on with the long piece as far as it is known; writes the ids of settled tokens to `out` and returns where they end. */
export function growLong(out: usize): usize {
  const end = certainEnd()
  // The longest token is known only if as many bytes are there as a token can have.
  push(end, LONGEST - 1)
  if (stackEnd - stackStart < KEEP) return out
  // In any longer text some token reaches over `end` or ends there, and starts at one of the last places. If the
  // merged forms up to each of these places have their first tokens in common, every longer text begins with
  // these tokens too.
  let place = stackEnd
  let count = stackDepth
  for (let back = LONGEST + 64; back <= MAX_BACK; back *= 2) {
    while (place > end - back) place -= <i32>lengthOf(tokenAt(--count))
    if (!allPass(place, end, tokenAt(count - 1))) continue
    out = writeIds(count, out)
    memory.fill(dead + stackStart, 0, place - stackStart)
    memory.copy(stack, stack + ((count - 1) << 2), (stackDepth - count + 1) << 2)
    stackDepth -= count - 1
    stackStart = place
    carriedCount = 1
    break
  }
  return out
}

// @inline
function tokenAt(index: i32): u32 {
  return load<u32>(stack + (index << 2))
}

function push(end: i32, left: i32): void {
  const top = pushTokens(stack, stack + (stackDepth << 2), text + stackEnd, text + end, left)
  stackDepth = <i32>(top - stack) >> 2
  stackEnd = <i32>(covered - text)
}

/** Writes the ids of the stack's first `count` tokens, but for the carried one. */
function writeIds(count: i32, out: usize): usize {
  for (let i = carriedCount; i < count; i++) out = putIds(tokenAt(i), out)
  return out
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
}

/** Empties the window for another document. */
export function clear(): void {
  if (isLong) memory.fill(dead + stackStart, 0, textEnd - stackStart + 1)
  isLong = false
  forgetText()
}
