// Builds the tables of the tokens that the host has written, a bounded number of steps in each call, so that the host can
// do other work in between.
import { reserve } from '../own-memory'
import { MAX_PIECE } from './piece-key'
import { addToken, reservePieces } from './piece-table'
import {
  addEdge,
  addPair,
  afterTwo,
  byteId,
  byteIds,
  lengthOf,
  lengths,
  MAX_TOKEN,
  mergedId,
  NONE,
  nameTokens,
  nodeAfter,
  reservePairs,
  reserveTrie,
  setHalves,
  shorter,
  size,
  startOf,
} from './tables'

/** Results of `buildSome`; any other is the first token that is not the merge of two before it. */
const MORE: u32 = 0xfffffffe
const DONE: u32 = NONE

/** All tokens by length, shorter ones first: a node that is a token must exist before longer tokens go through it. */
let order: usize = 0
let next: u32 = 0
/** The number of the next node of the trie that is no token. */
let nodes: u32 = 0

/**
 * Begins to build the tables. `ids` is the address of the host's id for each token; the seeds are the key of the piece
 * table's hash; the host adds `whole` more tokens with `addWhole` at the end.
 */
export function beginTables(ids: usize, seedLow: u64, seedHigh: u64, whole: u32): void {
  nameTokens(ids)
  reservePairs(size)
  reserveTrie()
  reservePieces(size, whole, seedLow, seedHigh)
  nodes = size
  order = reserve(size * 4)
  sortByLength()
}

/** Builds on by `steps` tokens: first the pairs and pieces of all, then the trie. Both at once would not fit the caches. */
export function buildSome(steps: u32): u32 {
  for (const end = min<u32>(2 * size, next + steps); next < end; next++) {
    if (next >= size) {
      insert(load<u32>(order + ((<usize>(next - size)) << 2)))
      continue
    }
    const length = lengthOf(next)
    if (length > 1 && !split(next, length)) return next
    if (length !== 0 && length <= MAX_PIECE) addToken(next, startOf(next), length)
  }
  return next < 2 * size ? MORE : DONE
}

/** For each length, 0 … MAX_TOKEN + 1: where, by length, the next token of it goes. */
const places: usize = memory.data(130 * 4, 16)

/** Lists the tokens by length, by a counting sort, and notes their lengths and those of one byte. */
function sortByLength(): void {
  for (let id: u32 = 0; id < size; id++) {
    const length = <u32>(startOf(id + 1) - startOf(id))
    store<u8>(lengths + id, length)
    store<u32>(places + ((length + 1) << 2), load<u32>(places + ((length + 1) << 2)) + 1)
    if (length !== 1) continue
    store<u32>(byteIds + ((<usize>load<u8>(startOf(id))) << 2), id)
    store<u32>(shorter + ((<usize>id) << 2), NONE)
    setHalves(id, id, id)
  }
  for (let place = places + 4; place <= places + ((MAX_TOKEN + 1) << 2); place += 4)
    store<u32>(place, load<u32>(place) + load<u32>(place - 4))
  for (let id: u32 = 0; id < size; id++) {
    const place = places + (lengthOf(id) << 2)
    store<u32>(order + ((<usize>load<u32>(place)) << 2), id)
    store<u32>(place, load<u32>(place) + 1)
  }
}

const symbols: usize = memory.data(128 * 4, 16)

/**
 * Finds the one pair that becomes token `id`: merging the token's bytes with only the tokens before it must leave
 * exactly two tokens. If it does, the token can be formed, and ids follow the order of formation.
 */
function split(id: u32, length: usize): bool {
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
  return true
}

/**
 * Inserts a token of two bytes or more into the trie, which has a node for each beginning of a token, of two bytes or more,
 * and finds the longest shorter token with which it begins. A node that is a token has the token's id; the others are
 * numbered from `size` on.
 */
function insert(id: u32): void {
  if (lengthOf(id) < 2) return
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
