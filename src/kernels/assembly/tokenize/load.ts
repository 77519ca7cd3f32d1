// Builds the tables, a bounded number of steps in each call, so that the host can let others work in between: first
// the tokens are read or placed, then `buildSome` goes through the phases below.

import { reserve } from '../own-memory'
import {
  beginCertain,
  certainOfCharacters,
  certainOfTokens,
  endCertain,
  FIRST_FORM,
  FORMS_END,
} from './certain'
import { lookAtIndents } from './indents'
import { addToken, MAX_PIECE, reservePieces } from './piece-table'
import {
  addEdge,
  addPair,
  afterTwo,
  byteId,
  byteIds,
  halves,
  lengths,
  MAX_TOKEN,
  mergedId,
  NONE,
  nodeAfter,
  reserveTables,
  shorter,
} from './tables'
import { addWholePiece, reserveWholePieces } from './whole-pieces'

/** Bytes of all tokens, and where each starts (one more: where the last ends). */
export let tokenBytes: usize = 0
export let tokenStarts: usize = 0

let size: u32 = 0
let nodes: u32 = 0
/** Room for a uint32 per token and a thousand more. */
let scratch: usize = 0

// @inline
function startOf(id: u32): usize {
  return tokenBytes + load<u32>(tokenStarts + ((<usize>id) << 2))
}

/** Reserves the room for `count` tokens of `bytes` bytes in all, which the host writes to `tokenBytes` and `tokenStarts`. */
export function placeTokens(count: u32, bytes: usize): void {
  size = count
  tokenStarts = reserve((count + 1) * 4)
  tokenBytes = reserve(bytes)
}

// Reading of js-tiktoken's ranks: `! 0 IQ== Ig==` says that token 0 is `!` and token 1 is `"`.

let rankAt: usize = 0
let ranksEnd: usize = 0
let rankCapacity: u32 = 0
let rankOut: usize = 0

/** Begins to read ranks. `capacity` is at least the number of ids, and `bytes` at least the bytes of all tokens. */
export function beginRanks(text: usize, bytes: usize, capacity: u32): void {
  placeTokens(capacity, bytes)
  size = 0
  rankAt = text
  ranksEnd = text + bytes
  rankCapacity = capacity
  rankOut = tokenBytes
}

/** Results of the calls below; any other is a token that breaks a rule on which the encoder relies. */
const MORE: u32 = 0xfffffffe
const DONE: u32 = NONE

/** Reads on, about `bytes` of the ranks; returns DONE, MORE, or the id behind which the text has not this form. */
export function readSomeRanks(bytes: usize): u32 {
  const until = min(ranksEnd, rankAt + bytes)
  let at = rankAt
  while (at < until) {
    let byte = load<u8>(at)
    if (byte === 0x0a || byte === 0x20) {
      at++
    } else if (byte === 0x21) {
      let first: u32 = 0
      for (at += 2; at < ranksEnd; at++) {
        byte = load<u8>(at)
        if (byte - 0x30 >= 10) break
        first = first * 10 + (byte - 0x30)
      }
      if (first < size || first > rankCapacity) return size
      // Ids that no line gives are holes: tokens without bytes.
      while (size < first) beginToken()
    } else {
      if (size === rankCapacity) return size
      beginToken()
      at = readBase64(at)
    }
  }
  rankAt = at
  if (at < ranksEnd) return MORE
  store<u32>(tokenStarts + (size << 2), <u32>(rankOut - tokenBytes))
  return DONE
}

// @inline
function beginToken(): void {
  store<u32>(tokenStarts + (size++ << 2), <u32>(rankOut - tokenBytes))
}

/** Writes the bytes of the base64 at `at` behind the token's; returns where it ends. */
function readBase64(at: usize): usize {
  let bits: u32 = 0
  let count: u32 = 0
  for (; at < ranksEnd; at++) {
    const byte = load<u8>(at)
    if (byte <= 0x20) break
    if (byte === 0x3d) continue
    bits = (bits << 6) | sixBits(byte)
    count += 6
    if (count < 8) continue
    count -= 8
    store<u8>(rankOut++, bits >> count)
  }
  return at
}

function sixBits(byte: u32): u32 {
  if (byte >= 0x61) return byte - 0x61 + 26
  if (byte >= 0x41) return byte - 0x41
  if (byte >= 0x30) return byte - 0x30 + 52
  return byte === 0x2b ? 62 : 63
}

/** The number of tokens: highest id + 1. */
export function tokenCount(): u32 {
  return size
}

// The phases of building, in their order; each goes through all ids, the last one through characters.
const MEASURE: i32 = 0
const SORT: i32 = 1
const TRIE: i32 = 2
const PAIRS: i32 = 3
const CERTAIN_TOKENS: i32 = 4
const CERTAIN_CHARACTERS: i32 = 5
const BUILT: i32 = 6

let phase: i32 = MEASURE
let next: u32 = 0

/**
 * Begins to build the tables of the tokens. `room` has room for a uint32 per token and a thousand more; the seeds
 * are the key of a hash; `whole` tokens come beside, by `addWhole`.
 */
export function beginTables(room: usize, seedLow: u64, seedHigh: u64, whole: u32): void {
  scratch = room
  memory.fill(countOf(0), 0, (MAX_TOKEN + 2) * 4)
  reserveTables(size)
  reservePieces(size + whole, seedLow, seedHigh)
  if (whole > 0) reserveWholePieces(whole)
}

/** Builds on, `steps` ids or characters of one phase; returns DONE, MORE, or the first token that breaks a rule. */
export function buildSome(steps: u32): u32 {
  const end = min(phase === CERTAIN_CHARACTERS ? FORMS_END : size, next + steps)
  const broken = work(next, end)
  if (broken !== NONE) return broken
  next = end
  if (end < (phase === CERTAIN_CHARACTERS ? FORMS_END : size)) return MORE
  phase++
  next = 0
  if (phase === SORT) beginSort()
  else if (phase === TRIE) nodes = size
  else if (phase === CERTAIN_TOKENS) beginCertain(scratch)
  else if (phase === CERTAIN_CHARACTERS) next = FIRST_FORM
  if (phase < BUILT) return MORE
  endCertain()
  lookAtIndents()
  return DONE
}

/**
 * When the tables are built: adds a token that no merge gives, for pieces that are this token as a whole. Its number is
 * beyond the others', and its bytes stay at `at`.
 */
export function addWhole(token: u32, at: usize, length: usize): void {
  if (length <= MAX_PIECE) addToken(token, at, length, scratch)
  else addWholePiece(token, at, length)
}

/** Does the phase's work on `from … end`; returns NONE or the token that breaks a rule. */
function work(from: u32, end: u32): u32 {
  if (phase === MEASURE) return measure(from, end)
  if (phase === SORT) sort(from, end)
  else if (phase === TRIE) insertAll(from, end)
  else if (phase === PAIRS) return pairAll(from, end)
  else if (phase === CERTAIN_TOKENS) certainOfTokens(from, end, tokenBytes, tokenStarts, scratch)
  else certainOfCharacters(from, end, scratch)
  return NONE
}

/** For each length, how many tokens have it; then where, by length, the next of them goes. */
// @inline
function countOf(length: usize): usize {
  return scratch + ((<usize>size) << 2) + (length << 2)
}

function measure(from: u32, end: u32): u32 {
  for (let id = from; id < end; id++) {
    const length = <u32>(startOf(id + 1) - startOf(id))
    if (length > MAX_TOKEN) return id
    store<u8>(lengths + id, length)
    store<u32>(countOf(length + 1), load<u32>(countOf(length + 1)) + 1)
    if (length !== 1) continue
    store<u32>(byteIds + ((<usize>load<u8>(startOf(id))) << 2), id)
    store<u32>(shorter + ((<usize>id) << 2), NONE)
    store<u64>(halves + ((<usize>id) << 3), ((<u64>id) << 32) | id)
  }
  return NONE
}

function beginSort(): void {
  for (let i: usize = 1; i <= MAX_TOKEN + 1; i++)
    store<u32>(countOf(i), load<u32>(countOf(i)) + load<u32>(countOf(i - 1)))
}

/** Lists the tokens by length: a node that is a token must exist as such before longer tokens go through it. */
function sort(from: u32, end: u32): void {
  for (let id = from; id < end; id++) {
    const place = countOf(load<u8>(lengths + id))
    store<u32>(scratch + ((<usize>load<u32>(place)) << 2), id)
    store<u32>(place, load<u32>(place) + 1)
  }
}

function insertAll(from: u32, end: u32): void {
  for (let i = from; i < end; i++) {
    const id = load<u32>(scratch + ((<usize>i) << 2))
    if (load<u8>(lengths + id) > 1) insert(id)
  }
}

function insert(id: u32): void {
  const at = startOf(id)
  const end = startOf(id + 1)
  let best = byteId(load<u8>(at))
  const two = afterTwo + ((<usize>load<u16>(at)) << 2)
  let node = load<u32>(two)
  if (node === 0) {
    node = end - at === 2 ? id : nodes++
    store<u32>(two, node)
  }
  for (let next = at + 2; next < end; next++) {
    if (node < size) best = node
    const byte = load<u8>(next)
    let child = nodeAfter(node, byte)
    if (child === 0) {
      child = next + 1 === end ? id : nodes++
      if (!addEdge(node, byte, child)) unreachable()
    }
    node = child
  }
  store<u32>(shorter + ((<usize>id) << 2), best)
}

function pairAll(from: u32, end: u32): u32 {
  for (let id = from; id < end; id++) {
    const length = startOf(id + 1) - startOf(id)
    if (length > 1 && !split(id, length, scratch)) return id
    if (length !== 0 && length <= MAX_PIECE) addToken(id, startOf(id), length, scratch)
  }
  return NONE
}

/**
 * Finds the one pair that becomes token `id`: merging the token's bytes with only the tokens before it must leave
 * exactly two tokens. If it does, the token can be formed, and ids follow the order of formation.
 */
function split(id: u32, length: usize, symbols: usize): bool {
  let count = <u32>length
  for (let i: u32 = 0; i < count; i++) store<u32>(symbols + (i << 2), byteId(load<u8>(startOf(id) + i)))
  while (count > 2) {
    let best = NONE
    let place: u32 = 0
    for (let i: u32 = 0; i + 1 < count; i++) {
      const merged = mergedId(load<u32>(symbols + (i << 2)), load<u32>(symbols + (i << 2) + 4))
      if (merged >= best) continue
      best = merged
      place = i
    }
    if (best === NONE) return false
    store<u32>(symbols + (place << 2), best)
    count--
    memory.copy(symbols + ((place + 1) << 2), symbols + ((place + 2) << 2), (count - place - 1) << 2)
  }
  const left = load<u32>(symbols)
  const right = load<u32>(symbols + 4)
  if (mergedId(left, right) !== NONE) return false
  addPair(left, right, id)
  store<u32>(halves + ((<usize>id) << 3), left)
  store<u32>(halves + ((<usize>id) << 3) + 4, right)
  return true
}
