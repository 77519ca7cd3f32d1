const SLOT_BITS = 2
const SLOT_INTS = 1 << SLOT_BITS // node + 1 (0: empty), code point, child, unused
const MAX_LOAD = 0.6
const NO_PIECE = -1

/** A trie of pieces as flat arrays in shared memory, so that threads use one copy. */
export interface PieceTrie {
  /** Open-addressing hash: (node, code point) → child. */
  readonly slots: Int32Array
  /** Id of the piece that ends at a node, or −1. */
  readonly pieces: Int32Array
  /** The root of the pieces that continue a word, without their prefix. */
  readonly continuation: number
}

/** The trie of a vocabulary: all pieces from node 0 on; those with `prefix` (`##`), without it, from `continuation` on. */
export function pieceTrie(pieces: Iterable<readonly [string, number]>, prefix: string): PieceTrie {
  const builder = new TrieBuilder()
  const continuation = prefix === '' ? 0 : builder.addNode()
  for (const [piece, id] of pieces) {
    builder.add(0, piece, id)
    if (prefix !== '' && piece.startsWith(prefix)) builder.add(continuation, piece.slice(prefix.length), id)
  }
  return { slots: builder.slots, pieces: sharedInts(builder.pieces), continuation }
}

/** The node below `node` for `codePoint`; −1: none. */
export function childOf(slots: Int32Array, node: number, codePoint: number): number {
  const mask = (slots.length >> SLOT_BITS) - 1
  for (let slot = slotOf(node, codePoint) & mask; ; slot = (slot + 1) & mask) {
    const at = slot << SLOT_BITS
    const found = slots[at]!
    if (found === 0) return -1
    if (found === node + 1 && slots[at + 1] === codePoint) return slots[at + 2]!
  }
}

function slotOf(node: number, codePoint: number): number {
  const hash = Math.imul(node, 0x9e3779b1) ^ Math.imul(codePoint, 0x85ebca6b)
  return hash ^ (hash >>> 15)
}

class TrieBuilder {
  slots = sharedInts(new Int32Array(SLOT_INTS * 4096))
  readonly pieces: number[] = [NO_PIECE]

  addNode(): number {
    return this.pieces.push(NO_PIECE) - 1
  }

  add(root: number, piece: string, id: number): void {
    let node = root
    for (const character of piece) {
      const codePoint = character.codePointAt(0)!
      const child = childOf(this.slots, node, codePoint)
      node = child >= 0 ? child : this.#addChild(node, codePoint)
    }
    this.pieces[node] = id
  }

  #addChild(node: number, codePoint: number): number {
    if (this.pieces.length * SLOT_INTS > this.slots.length * MAX_LOAD) this.#grow()
    const child = this.addNode()
    this.#put(this.slots, node, codePoint, child)
    return child
  }

  #put(slots: Int32Array, node: number, codePoint: number, child: number): void {
    const mask = (slots.length >> SLOT_BITS) - 1
    let slot = slotOf(node, codePoint) & mask
    while (slots[slot * SLOT_INTS] !== 0) slot = (slot + 1) & mask
    slots.set([node + 1, codePoint, child], slot * SLOT_INTS)
  }

  #grow(): void {
    const grown = sharedInts(new Int32Array(this.slots.length * 2))
    for (let at = 0; at < this.slots.length; at += SLOT_INTS)
      if (this.slots[at] !== 0)
        this.#put(grown, this.slots[at]! - 1, this.slots[at + 1]!, this.slots[at + 2]!)
    this.slots = grown
  }
}

function sharedInts(values: ArrayLike<number>): Int32Array {
  const shared = new Int32Array(new SharedArrayBuffer(values.length * Int32Array.BYTES_PER_ELEMENT))
  shared.set(values)
  return shared
}
