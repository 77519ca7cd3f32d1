const SLOT_INTS = 4 // node + 1 (0: empty), code point, child, unused
const MAX_LOAD = 0.6
const NO_PIECE = -1
const CODE_POINTS = 0x110000

/** A trie of pieces as flat arrays, which threads can share. */
export interface PieceTrie {
  /** Open-addressing hash: (node, code point) → child. */
  readonly slots: Int32Array
  /** Id of the piece that ends at a node, or −1. */
  readonly pieces: Int32Array
  /** The root of the pieces that continue a word, without their prefix. */
  readonly continuation: number
}

/** The trie of a vocabulary: all pieces from node 0 on; those with `prefix` (`##`), without it, from `continuation` on. */
export function pieceTrie(vocabulary: Iterable<readonly [string, number]>, prefix: string): PieceTrie {
  const continuation = prefix === '' ? 0 : 1
  const pieces = prefix === '' ? [NO_PIECE] : [NO_PIECE, NO_PIECE]
  const children = new Map<number, number>()
  const add = (root: number, piece: string, id: number) => {
    let node = root
    for (const character of piece) {
      const edge = node * CODE_POINTS + character.codePointAt(0)!
      const child = children.get(edge) ?? pieces.push(NO_PIECE) - 1
      children.set(edge, child)
      node = child
    }
    pieces[node] = id
  }
  for (const [piece, id] of vocabulary) {
    add(0, piece, id)
    if (prefix !== '' && piece.startsWith(prefix)) add(continuation, piece.slice(prefix.length), id)
  }
  const slots = new Int32Array(SLOT_INTS * 2 ** Math.ceil(Math.log2((children.size + 1) / MAX_LOAD)))
  for (const [edge, child] of children) {
    const codePoint = edge % CODE_POINTS
    const node = (edge - codePoint) / CODE_POINTS
    slots.set([node + 1, codePoint, child], placeOf(slots, node, codePoint))
  }
  return { slots, pieces: Int32Array.from(pieces), continuation }
}

/** The node below `node` for `codePoint`; −1: none. */
export function childOf(slots: Int32Array, node: number, codePoint: number): number {
  const place = placeOf(slots, node, codePoint)
  return slots[place] === 0 ? -1 : slots[place + 2]
}

/** The slot of an edge, or the empty one where it would be. */
function placeOf(slots: Int32Array, node: number, codePoint: number): number {
  const hash = Math.imul(node, 0x9e3779b1) ^ Math.imul(codePoint, 0x85ebca6b)
  for (let slot = hash ^ (hash >>> 15); ; slot++) {
    const place = (slot * SLOT_INTS) & (slots.length - 1)
    if (slots[place] === 0 || (slots[place] === node + 1 && slots[place + 1] === codePoint)) return place
  }
}
