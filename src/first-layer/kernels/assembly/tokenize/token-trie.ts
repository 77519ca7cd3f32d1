// The trie of the tokens: a node for each beginning of a token, of two bytes or more. A node that is a token has the
// token's id; the others are numbered from `size` on.
import { addEdge, afterTwo, byteId, lengths, nodeAfter, shorter } from './tables'
import { size, startOf } from './vocabulary'

/** The number of the next node that is no token. */
let nodes: u32 = 0

/** Call it before `insertAll`, when all tokens are placed. */
export function beginTrie(): void {
  nodes = size
}

/** Inserts the tokens at the places `from … end` of `order`, which lists all ids by length (token-order.ts). */
export function insertAll(from: u32, end: u32, order: usize): void {
  for (let i = from; i < end; i++) {
    const id = load<u32>(order + ((<usize>i) << 2))
    if (load<u8>(lengths + id) > 1) insert(id)
  }
}

/** Inserts a token of two bytes or more, and finds the longest shorter token with which it begins. */
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
