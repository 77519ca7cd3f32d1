// The tokens and the tables for the encoder: which two tokens merge, which node of the trie follows a byte, which
// shorter token a token begins with. The host writes the tokens. An id without a token is a hole: a token without bytes.
//
//     tokenBytes  | token 0 | token 1 | … | token size − 1 |
//     tokenStarts   0         …             …                the last one's end   (uint32, offsets from tokenBytes)
//
// The validity of a pair of tokens is tested as in `bpe` of github/rust-gems (MIT licence).
import { exponentOf, reserve } from '../own-memory'

export const NONE: u32 = 0xffffffff
/** Bytes of the longest token: the host gives none that is longer. */
export const MAX_TOKEN: u32 = 128

const HASH: u64 = 0x9e3779b97f4a7c15
const ID_BITS: u64 = 18
const ID_MASK: u64 = 0x3ffff
/** Bits of the filter for each slot of the pair table, as an exponent: one in ten of its bits is set. */
const FILTER_BITS: u32 = 2

/** Ids of tokens are 0 … size − 1. Nodes of the trie from `size` on are beginnings of tokens, but no tokens. */
export let size: u32 = 0
export let tokenBytes: usize = 0
export let tokenStarts: usize = 0
/** Address of the host's id for each token (int32); 0: the tokens are the ids. */
let ids: usize = 0
/** Node after two bytes, indexed by these as one loaded uint16; 0: no token begins with them. */
export let afterTwo: usize = 0
export let byteIds: usize = 0
export let lengths: usize = 0
/** For each token: the longest shorter token with which it begins, or NONE. */
export let shorter: usize = 0
/** For each token: the two tokens that merge to it; for a single byte, twice the byte's own token. */
export let halves: usize = 0

/** A filter with a bit for each pair that may merge. It fits into the caches, and most lookups end here. */
let mayMerge: usize = 0
let pairs: usize = 0
let pairShift: u64 = 0
let pairMask: u32 = 0
let edges: usize = 0
let edgeShift: u64 = 0
let edgeMask: u32 = 0
let edgeCount: u32 = 0

/** Reserves room for `count` tokens of `bytes` bytes in all; the host writes `tokenBytes` and `tokenStarts`. */
export function placeTokens(count: u32, bytes: usize): void {
  size = count
  tokenStarts = reserve((count + 1) * 4)
  tokenBytes = reserve(bytes)
}

export function nameTokens(at: usize): void {
  ids = at
}

// @inline
export function startOf(id: u32): usize {
  return tokenBytes + load<u32>(tokenStarts + ((<usize>id) << 2))
}

/** Writes the host's id of a token to `out`, or those of its bytes if it has none (−1); returns where they end. */
// @inline
export function putIds(token: u32, out: usize): usize {
  const id = ids === 0 ? token : load<u32>(ids + ((<usize>token) << 2))
  store<u32>(out, id)
  return <i32>id < 0 ? putBytes(token, out) : out + 4
}

function putBytes(token: u32, out: usize): usize {
  const end = startOf(token) + lengthOf(token)
  for (let at = startOf(token); at < end; at++, out += 4)
    store<u32>(out, load<u32>(ids + ((<usize>byteId(load<u8>(at))) << 2)))
  return out
}

/** Reserves the table of the pairs that merge to `tokens` tokens. */
export function reservePairs(tokens: u32): void {
  halves = reserve(tokens * 8)
  const pairBits = exponentOf(tokens) + 1
  mayMerge = reserve((<usize>1) << (pairBits + FILTER_BITS - 3))
  pairs = reserve((<usize>8) << pairBits)
  pairShift = 64 - pairBits
  pairMask = (1 << pairBits) - 1
}

export function reserveTrie(): void {
  afterTwo = reserve(65536 * 4)
  byteIds = reserve(256 * 4)
  lengths = reserve(size)
  shorter = reserve(size * 4)
  // The tries of all encodings have 2.0 to 2.2 nodes per token.
  const edgeBits = exponentOf((size * 5) / 2) + 1
  edges = reserve((<usize>8) << edgeBits)
  edgeShift = 64 - edgeBits
  edgeMask = (1 << edgeBits) - 1
}

/** Stands for no pair: `pairOf` never gives it. */
export const NO_PAIR: u64 = 0xffffffffffffffff

// @inline
export function pairOf(left: u32, right: u32): u64 {
  return ((<u64>left) << ID_BITS) | right
}

// @inline
function filterBit(hash: u64): u32 {
  return <u32>(hash >> (pairShift - FILTER_BITS))
}

// @inline
function pairSlot(hash: u64): u32 {
  return <u32>(hash >> pairShift)
}

/** The token that `left` and `right` merge to, or NONE. */
// @inline
export function mergedId(left: u32, right: u32): u32 {
  return mergedPair(pairOf(left, right))
}

// @inline
export function mergedPair(pair: u64): u32 {
  const hash = pair * HASH
  const bit = filterBit(hash)
  if (!((load<u8>(mayMerge + (bit >> 3)) >> (bit & 7)) & 1)) return NONE
  let i = pairSlot(hash)
  while (true) {
    const slot = load<u64>(pairs + ((<usize>i) << 3))
    if (slot === 0) return NONE
    if (slot >> ID_BITS === pair) return <u32>(slot & ID_MASK)
    i = (i + 1) & pairMask
  }
}

/** Reads ahead the slot that `mergedPair` will read, without a branch that would wait. The result has no meaning. */
// @inline
export function maybePair(pair: u64): u64 {
  const hash = pair * HASH
  const bit = filterBit(hash)
  const maybe = (<u32>load<u8>(mayMerge + (bit >> 3)) >> (bit & 7)) & 1
  return load<u64>(pairs + ((<usize>(pairSlot(hash) & (0 - maybe))) << 3))
}

/** Notes the two tokens that merge to a token; for a single byte, twice the byte's own token. */
export function setHalves(id: u32, left: u32, right: u32): void {
  store<u64>(halves + ((<usize>id) << 3), ((<u64>right) << 32) | left)
}

export function addPair(left: u32, right: u32, id: u32): void {
  setHalves(id, left, right)
  const pair = pairOf(left, right)
  const hash = pair * HASH
  const bit = filterBit(hash)
  const byte = mayMerge + (bit >> 3)
  store<u8>(byte, <u32>load<u8>(byte) | ((<u32>1) << (bit & 7)))
  let i = pairSlot(hash)
  while (load<u64>(pairs + ((<usize>i) << 3)) !== 0) i = (i + 1) & pairMask
  store<u64>(pairs + ((<usize>i) << 3), (pair << ID_BITS) | id)
}

// @inline
function edgeOf(node: u32, byte: u32): u32 {
  return (node << 8) | byte
}

// @inline
function edgeSlot(edge: u32): u32 {
  return <u32>((<u64>edge * HASH) >> edgeShift)
}

/** The node after `node` and `byte`, or 0. */
// @inline
export function nodeAfter(node: u32, byte: u32): u32 {
  const edge = edgeOf(node, byte)
  let i = edgeSlot(edge)
  while (true) {
    const slot = load<u64>(edges + ((<usize>i) << 3))
    if (slot === 0) return 0
    if (<u32>(slot >> 32) === edge) return <u32>slot
    i = (i + 1) & edgeMask
  }
}

/** Adds an edge; returns false if the table is so full that searches would become long. */
export function addEdge(node: u32, byte: u32, next: u32): bool {
  if (++edgeCount > edgeMask - (edgeMask >> 2)) return false
  const edge = edgeOf(node, byte)
  let i = edgeSlot(edge)
  while (load<u64>(edges + ((<usize>i) << 3)) !== 0) i = (i + 1) & edgeMask
  store<u64>(edges + ((<usize>i) << 3), ((<u64>edge) << 32) | next)
  return true
}

// @inline
export function lengthOf(id: u32): usize {
  return load<u8>(lengths + id)
}

// @inline
export function shorterThan(id: u32): u32 {
  return load<u32>(shorter + ((<usize>id) << 2))
}

// @inline
export function byteId(byte: u32): u32 {
  return load<u32>(byteIds + ((<usize>byte) << 2))
}

// @inline
export function nodeAfterTwo(at: usize): u32 {
  return load<u32>(afterTwo + ((<usize>load<u16>(at)) << 2))
}

/** The token of the two bytes at `at`, which is always their merge, or NONE. No token of two bytes has the number 0. */
// @inline
export function tokenOfTwo(at: usize): u32 {
  const node = nodeAfterTwo(at)
  return select(node, NONE, node - 1 < size - 1)
}

/** The longest token that the bytes `at … end` begin with; there is at least one byte. */
export function longestToken(at: usize, end: usize): u32 {
  let best = byteId(load<u8>(at))
  if (end - at < 2) return best
  let node = nodeAfterTwo(at)
  at += 2
  while (node !== 0) {
    if (node < size) best = node
    if (at === end) break
    node = nodeAfter(node, load<u8>(at++))
  }
  return best
}

// @inline
function leftHalf(id: u32): u32 {
  return load<u32>(halves + ((<usize>id) << 3))
}

// @inline
function rightHalf(id: u32): u32 {
  return load<u32>(halves + ((<usize>id) << 3) + 4)
}

/** Whether merging the bytes of `left` followed by those of `right` gives the same two tokens again. */
export function staysApart(left: u32, right: u32): bool {
  // Undoes the merges of both sides, the latest first, and checks whether an earlier one would have joined them.
  let limit = NONE
  while (true) {
    if (mergedId(left, right) < limit) return false
    if (left > right) {
      limit = left
      left = rightHalf(left)
      if (left !== limit) continue
      limit = right + 1
      right = leftHalf(right)
      if (right + 1 === limit) return true
    } else {
      limit = right + 1
      right = leftHalf(right)
      if (right + 1 !== limit) continue
      limit = left
      left = rightHalf(left)
      if (left === limit) return true
    }
  }
}
