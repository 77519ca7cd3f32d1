// Builds the tables from js-tiktoken's ranks: `! 0 IQ== Ig==` says that token 0 is `!` and token 1 is `"`.

import { reserve } from '../own-memory'
import { findCertain } from './certain'
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

/** Bytes of all tokens, and where each starts (one more: where the last ends). */
export let tokenBytes: usize = 0
export let tokenStarts: usize = 0

let size: u32 = 0
let nodes: u32 = 0

// @inline
function startOf(id: u32): usize {
  return tokenBytes + load<u32>(tokenStarts + ((<usize>id) << 2))
}

/** Reads the ranks. `capacity` is at least the number of ids, and `textBytes` at least the bytes of all tokens. */
export function readRanks(text: usize, textBytes: usize, capacity: u32): u32 {
  tokenStarts = reserve((capacity + 1) * 4)
  tokenBytes = reserve(textBytes)
  let id: u32 = 0
  let out = tokenBytes
  for (let at = text, end = text + textBytes; at < end; ) {
    let byte = load<u8>(at)
    if (byte === 0x0a || byte === 0x20) {
      at++
    } else if (byte === 0x21) {
      let first: u32 = 0
      for (at += 2; at < end; at++) {
        byte = load<u8>(at)
        if (byte - 0x30 >= 10) break
        first = first * 10 + (byte - 0x30)
      }
      if (first < id || first > capacity) return NONE
      // Ids that no line gives are holes: tokens without bytes.
      for (; id < first; id++) store<u32>(tokenStarts + (id << 2), <u32>(out - tokenBytes))
    } else {
      if (id === capacity) return NONE
      store<u32>(tokenStarts + (id++ << 2), <u32>(out - tokenBytes))
      let bits: u32 = 0
      let count: u32 = 0
      for (; at < end; at++) {
        byte = load<u8>(at)
        if (byte <= 0x20) break
        if (byte === 0x3d) continue
        bits = (bits << 6) | sixBits(byte)
        count += 6
        if (count < 8) continue
        count -= 8
        store<u8>(out++, bits >> count)
      }
    }
  }
  store<u32>(tokenStarts + (id << 2), <u32>(out - tokenBytes))
  size = id
  return id
}

function sixBits(byte: u32): u32 {
  if (byte >= 0x61) return byte - 0x61 + 26
  if (byte >= 0x41) return byte - 0x41
  if (byte >= 0x30) return byte - 0x30 + 52
  return byte === 0x2b ? 62 : 63
}

/** Builds all tables. Returns NONE, or the first token that breaks a rule on which the encoder relies. */
export function buildTables(scratch: usize, seedLow: u64, seedHigh: u64): u32 {
  reserveTables(size)
  reservePieces(size, seedLow, seedHigh)
  for (let id: u32 = 0; id < size; id++) {
    const length = <u32>(startOf(id + 1) - startOf(id))
    if (length > MAX_TOKEN) return id
    store<u8>(lengths + id, length)
    if (length !== 1) continue
    store<u32>(byteIds + ((<usize>load<u8>(startOf(id))) << 2), id)
    store<u32>(shorter + ((<usize>id) << 2), NONE)
    store<u64>(halves + ((<usize>id) << 3), ((<u64>id) << 32) | id)
  }
  buildTrie(scratch)
  for (let id: u32 = 0; id < size; id++) {
    const length = startOf(id + 1) - startOf(id)
    if (length > 1 && !split(id, length, scratch)) return id
    if (length !== 0 && length <= MAX_PIECE) addToken(id, startOf(id), length, scratch)
  }
  lookAtIndents()
  findCertain(tokenBytes, tokenStarts, scratch)
  return NONE
}

/** Inserts the tokens by length: a node that is a token exists as such before longer tokens go through it. */
function buildTrie(scratch: usize): void {
  const byLength = scratch
  const counts = scratch + ((<usize>size) << 2)
  memory.fill(counts, 0, (MAX_TOKEN + 2) * 4)
  for (let id: u32 = 0; id < size; id++) {
    const count = counts + ((<usize>load<u8>(lengths + id) + 1) << 2)
    store<u32>(count, load<u32>(count) + 1)
  }
  for (let i: usize = 1; i <= MAX_TOKEN + 1; i++)
    store<u32>(counts + (i << 2), load<u32>(counts + (i << 2)) + load<u32>(counts + ((i - 1) << 2)))
  for (let id: u32 = 0; id < size; id++) {
    const place = counts + ((<usize>load<u8>(lengths + id)) << 2)
    store<u32>(byLength + ((<usize>load<u32>(place)) << 2), id)
    store<u32>(place, load<u32>(place) + 1)
  }
  nodes = size
  for (let i: usize = 0; i < size; i++) {
    const id = load<u32>(byLength + (i << 2))
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
