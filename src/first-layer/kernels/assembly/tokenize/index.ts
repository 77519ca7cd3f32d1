// UTF-8 to token ids, as tiktoken makes them. The host passes a document part by part: it calls makeRoom, writes
// the bytes, calls run, and takes the ids from `out`. Each call does a bounded amount of work. test/twins/tokens
// has the same algorithm in plain TypeScript.

import { reserve } from '../own-memory'
import { beginLong, compact, endLong, forgetTries, growLong, isLong, stackStart, tries } from './long'
import { encodeListed, listPieces } from './pieces'
import {
  certainEnd,
  horizon,
  isScanTired,
  lengthenText,
  look,
  marks,
  passPiece,
  pieceStart,
  scan,
  scanEnd,
  setTransitions,
  text,
  textEnd,
  waits,
} from './scan'

export { reserve } from '../own-memory'
export { beginTables, buildSome } from './build'
export {
  carriedCount,
  clear,
  compact,
  dead,
  isLong,
  makeRoom,
  stack,
  stackDepth,
  stackEnd,
  stackStart,
} from './long'
export { addToken as addWhole } from './piece-table'
export {
  countCharacters,
  lastMatch,
  pieceRun,
  pieceStart,
  reserveClasses,
  scanEnd,
  text,
  textEnd,
} from './scan'
export {
  addPair,
  mergedId,
  placeTokens,
  reservePairs,
  setHalves,
  staysApart,
  tokenBytes,
  tokenStarts,
} from './tables'

/** Bytes scanned between two looks at the tries, and the tries of tokens in one call, some tenths of a millisecond. */
const SCAN_BYTES: i32 = 1024
const TRIES: i32 = 4096
/** Longer pieces are merged while they grow. */
const LONG: i32 = 512
const WINDOW_BYTES: i32 = 131072
/** Ids behind the last one that may be written. */
const SLACK: i32 = 16
/** The ids for which there is room at `out`. */
let room: i32 = 0

export let out: usize = 0
let end: usize = 0

/** Prepares encoding once the tables are built. `pattern`: where the pattern's transitions are (scan.ts). */
export function setUp(pattern: usize): void {
  setTransitions(pattern)
  compact(WINDOW_BYTES / 2)
}

/**
 * Takes `bytes` more of the text, which the host has written to the address from `makeRoom`; `isEnd`: the text ends with
 * them. Writes ids to `out` and returns their number n, or −1 − n if work is left that needs no more text: then call
 * again with no bytes and the same `isEnd`.
 */
export function run(bytes: i32, isEnd: bool): i32 {
  lengthenText(bytes)
  reserveOut(textEnd - (isLong ? stackStart : pieceStart) + SLACK)
  forgetTries()
  let more: bool = false
  do {
    const reach = min(textEnd, scanEnd + SCAN_BYTES)
    look(reach, isEnd && reach === textEnd)
    more = work()
  } while (horizon < textEnd && !more)
  const count = <i32>((end - out) >> 2)
  return more ? -1 - count : count
}

/** Makes room for `ids`: a text has at most as many as bytes. */
function reserveOut(ids: i32): void {
  if (ids > room) {
    room = 2 * ids
    out = reserve((<usize>room) << 2)
  }
  end = out
}

/** Works up to the horizon; returns true if it has done enough for a call before. */
function work(): bool {
  while (true) {
    const marksEnd = scan()
    for (let mark = marks; mark < marksEnd; ) {
      if (!isLong) {
        mark = listPieces(mark, marksEnd, text, pieceStart, LONG)
        if (mark > marks) passPiece(load<i32>(mark - 4))
        if (mark === marksEnd) break
        beginLong()
      }
      end = endLong(load<i32>(mark), encodeListed(end))
      mark += 4
    }
    end = encodeListed(end)
    if (isScanTired() || tries > TRIES) return true
    if (!waits) continue
    if (!isLong && certainEnd() - pieceStart > LONG) beginLong()
    if (isLong) end = growLong(end)
    return horizon < textEnd && tries > TRIES
  }
}
