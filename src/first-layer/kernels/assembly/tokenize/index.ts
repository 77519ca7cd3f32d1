// UTF-8 to token ids, as tiktoken makes them. The host passes a document part by part: it calls makeRoom, writes
// the bytes, calls run, and takes the ids from `out`. Each call does a bounded amount of work. test/twins/tokens
// has the same algorithm in plain TypeScript.

import { reserve } from '../own-memory'
import {
  advanceLong,
  countSettled,
  DONE,
  finishLong,
  forgetTries,
  forgetWritten,
  TIRED,
  tries,
  writeSettled,
} from './long'
import { forgetWide, listPieces, WIDE_BYTES, wide } from './piece-list'
import { encodeListed } from './pieces'
import { horizon, isScanTired, look, marks, scan, setTransitions, waits } from './scan'
import {
  beginLong,
  beginPiece,
  certainEnd,
  endAt,
  isLong,
  isWhole,
  knownEnd,
  lengthenText,
  passPiece,
  pieceStart,
  reachTo,
  scanEnd,
  settle,
  settledCount,
  stackDepth,
  stackEnd,
  textEnd,
  writtenCount,
} from './state'
import { reserveWindow, text } from './window'

export { reserve } from '../own-memory'
export { beginTables, buildSome } from './build'
export { countCharacters, reserveClasses } from './characters'
export { addToken as addWhole } from './piece-table'
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
export { clear, dead, makeRoom, restoreState, saveState, stack, text } from './window'

/** Bytes scanned in one call. */
const SCAN_BYTES: i32 = 32768
/** Tries of tokens in one call, some tenths of a millisecond. A byte of a repeated character takes up to thirty. */
const TRIES: i32 = 8192
/** Longer pieces are merged a part at a time. */
const LONG: i32 = 512
/** Most ids of long pieces that one call writes. Other pieces give at most as many ids as bytes were scanned. */
const LONG_IDS: i32 = 32768
const OUT_IDS: i32 = LONG_IDS + SCAN_BYTES + LONG + 64

export let out: usize = 0
let end: usize = 0

/** Prepares encoding once the tables are built. `pattern`: where the pattern's transitions are (scan.ts). */
export function setUp(pattern: usize, windowBytes: i32): void {
  setTransitions(pattern)
  out = reserve(OUT_IDS << 2)
  reserveWindow(windowBytes)
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
  if (isLong && isWhole && !mergeLong()) return true
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
      endAt(load<i32>(mark))
      if (!mergeLong()) return true
      isBehind = true // what was scanned behind the long piece is scanned again
    }
    end = encodeListed(end)
    if (isScanTired()) return true
    if (isBehind || !waits) continue
    if (!isLong && certainEnd() - pieceStart > LONG) beginLong()
    if (isLong) {
      reachTo(certainEnd())
      if (!mergeLong()) return true
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
  return tries >= TRIES
}

/** Goes on with the long piece; returns true when the piece is done or needs more text first. */
function mergeLong(): bool {
  end = encodeListed(end)
  while (true) {
    if (writtenCount < settledCount) {
      end = writeSettled(end, out + (LONG_IDS << 2))
      if (writtenCount < settledCount) return false
      if (!isWhole || stackEnd !== knownEnd || writtenCount !== stackDepth) forgetWritten()
    }
    if (isWhole && stackEnd === knownEnd && writtenCount === stackDepth) {
      finishLong()
      beginPiece(knownEnd)
      return true
    }
    const progress = advanceLong(TRIES)
    settle(progress === DONE ? stackDepth : countSettled())
    if (progress === TIRED) return false
    if (progress !== DONE && settledCount === writtenCount) return true
  }
}
