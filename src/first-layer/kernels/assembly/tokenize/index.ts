// UTF-8 to token ids, as tiktoken makes them. The host passes a document part by part: it calls makeRoom, writes
// the bytes, calls run, and takes the ids from `out`. Each call does a bounded amount of work. test/twins/tokens
// has the same algorithm in plain TypeScript.

import { reserve } from '../own-memory'
import {
  beginLong,
  compact,
  forgetTries,
  isLong,
  isOutOfTries,
  isReady,
  isWhole,
  mergeLong,
  reachTo,
} from './long'
import { encodeListed, forgetWide, listPieces, WIDE_BYTES, wide } from './pieces'
import {
  beginPiece,
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
  isWhole,
  knownEnd,
  makeRoom,
  settledCount,
  stack,
  stackDepth,
  stackEnd,
  stackStart,
  trial,
  writtenCount,
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

/** Bytes scanned in one call. */
const SCAN_BYTES: i32 = 32768
/** Longer pieces are merged a part at a time. */
const LONG: i32 = 512
/** Most ids of long pieces that one call writes. Other pieces give at most as many ids as bytes were scanned. */
const LONG_IDS: i32 = 32768
const WINDOW_BYTES: i32 = 131072
const OUT_IDS: i32 = LONG_IDS + SCAN_BYTES + LONG + 64

export let out: usize = 0
let end: usize = 0

/** Prepares encoding once the tables are built. `pattern`: where the pattern's transitions are (scan.ts). */
export function setUp(pattern: usize): void {
  setTransitions(pattern)
  out = reserve(OUT_IDS << 2)
  compact(WINDOW_BYTES / 2)
}

/**
 * Takes `bytes` more of the text, which the host has written to the address from `makeRoom`; `isEnd`: the text ends with
 * them. Writes ids to `out` and returns their number n, or −1 − n if work is left that needs no more text: then call
 * again with no bytes and the same `isEnd`.
 */
export function run(bytes: i32, isEnd: bool): i32 {
  lengthenText(bytes)
  end = out
  forgetWide()
  forgetTries()
  const more = work(isEnd)
  end = encodeListed(end)
  const count = <i32>((end - out) >> 2)
  return more ? -1 - count : count
}

function work(isEnd: bool): bool {
  const reach = min(textEnd, scanEnd + SCAN_BYTES)
  look(reach, isEnd && reach === textEnd)
  if (isLong && isWhole && !goOn()) return true
  while (true) {
    const marksEnd = scan()
    let isBehind = false
    for (let mark = marks; mark < marksEnd && !isBehind; ) {
      if (!isLong) {
        mark = listPieces(mark, marksEnd, text, pieceStart, LONG)
        if (mark > marks) passPiece(load<i32>(mark - 4))
        if (isTired()) {
          beginPiece(pieceStart)
          return true
        }
        if (mark === marksEnd || load<i32>(mark) - pieceStart <= LONG) continue
        beginLong()
      }
      reachTo(load<i32>(mark), true)
      if (!goOn()) return true
      isBehind = true // what was scanned behind the long piece is scanned again
    }
    end = encodeListed(end)
    if (isScanTired()) return true
    if (isBehind || !waits) continue
    if (!isLong && certainEnd() - pieceStart > LONG) beginLong()
    if (isLong) {
      reachTo(certainEnd(), false)
      if (!goOn()) return true
    }
    return horizon < textEnd
  }
}

/** Whether this call has used up its tries. Most texts have no wide piece and need none. */
// @inline
function isTired(): bool {
  return wide >= WIDE_BYTES && encodeWide()
}

function encodeWide(): bool {
  end = encodeListed(end)
  forgetWide()
  return isOutOfTries()
}

/** Goes on with the long piece; returns true when the piece is done or needs more text first. */
function goOn(): bool {
  end = mergeLong(encodeListed(end), out + (LONG_IDS << 2))
  return isReady
}
