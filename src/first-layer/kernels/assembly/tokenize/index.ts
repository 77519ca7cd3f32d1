// UTF-8 to token ids, as tiktoken makes them. The host passes a document part by part: it calls makeRoom, writes
// the bytes, calls run, and takes the ids from `out`. Each call does a bounded amount of work. test/twins/tokens
// has the same algorithm in plain TypeScript.

import { reserve } from '../own-memory'
import { startsAt } from './blocks'
import { countCharacters } from './characters'
import { beginDocuments, bounds, ends, reserveDocuments } from './document-ends'
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
import { forgetWide, isListFull, listBlock, listEnd, listPiece, wide } from './piece-list'
import { encodeListed } from './pieces'
import { horizon, look, WAIT } from './reader'
import { GPT2, O200K, scan } from './scan'
import {
  beginLong,
  beginPiece,
  beginWhole,
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
import { clear, reserveWindow, text } from './window'

export { reserve } from '../own-memory'
export { addWhole, beginTables, buildSome } from './build'
export { countCharacters, reserveClasses } from './characters'
export { bounds, ends } from './document-ends'
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
/** Documents of one call, each with an id behind it. */
const END_IDS: i32 = 4096
const OUT_IDS: i32 = LONG_IDS + SCAN_BYTES + LONG + END_IDS + 64

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
  reserveDocuments()
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

/** Characters of the documents that the last call of `runDocuments` has done. */
export let characters: i32 = 0

/**
 * Encodes documents, 4096 at most and 32768 bytes of text: each is whole in the window, which the host has filled from the
 * address of `makeRoom` on in an empty window, and lies where `bounds` says. `id` is appended to each; -1: none. Returns how
 * many are done: their ids are at `out`, and `ends` has how many ids there are up to the end of each. The first of the others
 * is for `run`, as it asks for more work than one call may do. The window is empty afterwards.
 */
export function runDocuments(count: i32, id: i32): i32 {
  end = out
  forgetWide()
  forgetTries()
  beginDocuments(id)
  let done: i32 = 0
  characters = 0
  for (let at = bounds; done < count; at += 8) {
    const start = load<i32>(at)
    const stop = load<i32>(at, 4)
    beginWhole(start, stop)
    if (work(true)) break
    if (listEnd()) end = encodeListed(end)
    characters += countCharacters(text + start, stop - start)
    done++
  }
  end = encodeListed(end)
  clear()
  finishEnds(done, id === -1 ? 0 : 4)
  return done
}

/** Makes numbers of the ends' addresses, and replaces tokens by the host's ids, except those behind the documents. */
function finishEnds(done: i32, appendedBytes: usize): void {
  let from = out
  for (let at = ends; at < ends + ((<usize>done) << 2); at += 4) {
    const to = <usize>load<u32>(at)
    if (idsOf !== 0) rename(from, to - appendedBytes)
    store<u32>(at, <u32>((to - out) >> 2))
    from = to
  }
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
