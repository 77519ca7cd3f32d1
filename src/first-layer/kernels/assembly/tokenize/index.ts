// UTF-8 to token ids, as tiktoken makes them. The host passes a document part by part: it calls makeRoom, writes
// the bytes, calls run, and takes the ids from `out`. Each call does a bounded amount of work. test/twins/tokens
// has the same algorithm in plain TypeScript.

import { reserve } from '../own-memory'
import { startsAt } from './blocks'
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
import { forgetWide, isListFull, listBlock, listPiece, wide } from './piece-list'
import { encodeListed } from './pieces'
import { horizon, look, WAIT } from './reader'
import { GPT2, O200K, scan } from './scan'
import {
  beginLong,
  beginPiece,
  certainEnd,
  endAt,
  isLong,
  isWhole,
  knownEnd,
  lengthenText,
  pieceRun,
  pieceStart,
  reachTo,
  START,
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
export { addWhole, beginTables, buildSome } from './build'
export { countCharacters, reserveClasses } from './characters'
export { beginRanks, readSomeRanks } from './read-ranks'
export { placeTokens, tokenBytes, tokenCount, tokenStarts } from './vocabulary'
export { clear, dead, makeRoom, restoreState, saveState, stack, text } from './window'

/** Bytes scanned in one call. */
const SCAN_BYTES: i32 = 32768
/** Tries of tokens in one call, some tenths of a millisecond. A byte of a repeated character takes up to thirty. */
const TRIES: i32 = 8192
/** Bytes of wide pieces that are encoded between two checks of the tries. */
const WIDE_BYTES: i32 = 512
/** Longer pieces are merged a part at a time. */
const LONG: i32 = 512
/** Most ids of long pieces that one call writes. Other pieces give at most as many ids as bytes were scanned. */
const LONG_IDS: i32 = 32768
const OUT_IDS: i32 = LONG_IDS + SCAN_BYTES + LONG + 64

let pattern: i32 = GPT2
export let out: usize = 0
let end: usize = 0

/** Address of the host's id for each token (uint32); 0: the tokens are the ids. */
let idsOf: usize = 0

/** Prepares encoding once the tables are built. `name`: a pattern's number (scan.ts). */
export function setUp(name: i32, windowBytes: i32, ids: usize): void {
  pattern = name
  idsOf = ids
  out = reserve(OUT_IDS << 2)
  reserveWindow(windowBytes)
}

// @inline
function encode(at: usize, length: usize): void {
  if (listPiece(at, length)) end = encodeListed(end)
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
  if (idsOf !== 0) rename(out, end)
  const count = <i32>((end - out) >> 2)
  return more ? -1 - count : count
}

/** Replaces tokens by the host's ids. */
function rename(from: usize, to: usize): void {
  for (let at = from; at < to; at += 4) store<u32>(at, load<u32>(idsOf + ((<usize>load<u32>(at)) << 2)))
}

function work(isEnd: bool): bool {
  const reach = min(textEnd, scanEnd + SCAN_BYTES)
  look(reach, isEnd && reach === textEnd)
  if (isLong && isWhole && !mergeLong()) return true
  while (true) {
    if (pieceRun === START && !isLong && encodeBlock()) {
      if (isTired()) return true
      continue
    }
    const pieceEnd = scan(pattern)
    if (pieceEnd === WAIT) {
      if (!isLong && certainEnd() - pieceStart > LONG) beginLong()
      if (isLong) {
        reachTo(certainEnd())
        if (!mergeLong()) return true
      }
      return horizon < textEnd
    }
    if (!isLong && pieceEnd - pieceStart <= LONG) {
      encode(text + pieceStart, pieceEnd - pieceStart)
      beginPiece(pieceEnd)
      if (isTired()) return true
      continue
    }
    if (!isLong) beginLong()
    endAt(pieceEnd)
    if (!mergeLong()) return true
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

/** Encodes the pieces that end within the next 64 bytes; returns false if blocks.ts knows of none. */
function encodeBlock(): bool {
  const at = text + pieceStart
  // Kana and ideographs run on for many characters: most blocks have no end of a piece. Modern patterns' blocks have no
  // symbols beyond ASCII, o200k's no letters without case: the scripts from U+0480 on are full of these.
  const from: u32 = pattern === GPT2 ? 0xe3 : 0xd2
  const to: u32 = pattern === O200K ? 0x100 : 0xea
  if (<u32>load<u8>(at) - from < to - from || <u32>load<u8>(at + 1) - from < to - from) return false
  // The end of a long piece may lie behind the horizon.
  const length = min(64, horizon - pieceStart)
  if (length < 1) return false
  const starts = startsAt(pattern, at, <u32>length)
  if ((starts & (starts - 1)) === 0) return false
  listBlock(at, starts)
  if (isListFull()) end = encodeListed(end)
  beginPiece(pieceStart + 63 - <i32>clz(starts))
  return true
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
