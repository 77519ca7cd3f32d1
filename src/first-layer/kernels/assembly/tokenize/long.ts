// Long pieces: linear backtracking, as in `bpe` of github/rust-gems (MIT licence), made to work on a part of a piece.
//
// Takes the longest token that stays apart from the token before it (`staysApart`); if there is none, takes the last
// token back and tries a shorter one. Marks places from which no token led on as dead. At any time the tokens on the
// stack are the merged form of the text that they cover: tokens whose neighbours all stay apart never merge.

import {
  carriedCount,
  endLong,
  isWhole,
  knownEnd,
  settledCount,
  stackDepth,
  stackEnd,
  stackStart,
  tokenPopped,
  tokenPushed,
  tokensWritten,
  trial,
  writtenCount,
  writtenForgotten,
} from './state'
import { lengthOf, longestToken, MAX_TOKEN, NONE, putIds, shorterThan, staysApart } from './tables'
import { dead, stack, text } from './window'

/** Settled tokens of an unfinished piece are written out when they cover this many bytes. */
const KEEP: i32 = 16384
const LONGEST: i32 = <i32>MAX_TOKEN
/** How many bytes back the search for the settled part goes. */
const MAX_BACK: i32 = 3072

/** Tries of tokens since the caller set this to 0. */
export let tries: i32 = 0

export function forgetTries(): void {
  tries = 0
}

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

/** Results of `advanceLong`: more text is needed; the tries are used up; only `writeSettled` is left to do. */
export const HUNGRY: i32 = 0
export const TIRED: i32 = 1
export const DONE: i32 = 2

/** Goes on with the long piece until `limit` tries have been made. */
export function advanceLong(limit: i32): i32 {
  while (tries < limit) {
    if (stackEnd === knownEnd && isWhole) return DONE
    // The longest token is known only if as many bytes are there as a token can have.
    if (!isWhole && knownEnd - stackEnd < LONGEST) return HUNGRY
    let token = trial === NONE ? longestToken(text + stackEnd, text + knownEnd) : trial
    const last = stackDepth > 0 ? load<u32>(stack + ((stackDepth - 1) << 2)) : NONE
    while (token !== NONE) {
      tries++
      const after = stackEnd + <i32>lengthOf(token)
      if (load<u8>(dead + after) === 0 && (last === NONE || staysApart(last, token))) {
        store<u32>(stack + (stackDepth << 2), token)
        tokenPushed(after)
        break
      }
      token = shorterThan(token)
    }
    if (token !== NONE) continue
    store<u8>(dead + stackEnd, 1)
    if (stackDepth === writtenCount) unreachable()
    tokenPopped(last, <i32>lengthOf(last))
  }
  return TIRED
}

/** How many tokens of the stack no further text can change; the number already written while these are few. */
export function countSettled(): i32 {
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
export function writeSettled(out: usize, end: usize): usize {
  let count = writtenCount
  for (; count < settledCount && out < end; count++) out = putIds(load<u32>(stack + (count << 2)), out)
  tokensWritten(count - writtenCount)
  return out
}

/** Forgets the written tokens except the last, from which the next token must stay apart. */
export function forgetWritten(): void {
  let bytes = 0
  for (let i = carriedCount; i < writtenCount; i++) bytes += <i32>lengthOf(load<u32>(stack + (i << 2)))
  memory.fill(dead + stackStart, 0, bytes)
  memory.copy(stack, stack + ((writtenCount - 1) << 2), (stackDepth - writtenCount + 1) << 2)
  writtenForgotten(bytes)
}

export function finishLong(): void {
  memory.fill(dead + stackStart, 0, knownEnd - stackStart + 1)
  endLong()
}
