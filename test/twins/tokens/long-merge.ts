import type { TokenBuffer } from '../../../src/first-layer/tokens/token-buffer.js'
import type { Merges } from './merges.js'

const POSITIONS = 2 ** 32

/**
 * Byte-pair merging of one long piece in O(n log n), a part at a time: a linked list of symbols and a heap
 * of the pairs that can merge, lowest rank first, leftmost first. A pair that a merge nearby has changed
 * stays in the heap and is passed over when its turn comes.
 */
export class LongMerge {
  readonly #ids: Int32Array
  readonly #next: Int32Array
  readonly #previous: Int32Array
  readonly #heap: number[] = []
  #seeded = 0
  #written = 0

  constructor(
    private readonly merges: Merges,
    piece: Uint8Array,
  ) {
    const n = piece.length
    this.#ids = Int32Array.from(piece, (byte) => merges.byteIds[byte]!)
    this.#next = Int32Array.from({ length: n }, (_, i) => i + 1)
    this.#previous = Int32Array.from({ length: n }, (_, i) => i - 1)
  }

  /** Does about `steps` steps; true while more are needed. Ids come out after the last merge. */
  advance(ids: TokenBuffer, steps: number): boolean {
    const n = this.#ids.length
    for (; this.#seeded < n && steps > 0; steps--) this.#offer(this.#seeded++)
    for (; this.#seeded === n && this.#heap.length > 0 && steps > 0; steps--) this.#mergeLowest()
    if (this.#seeded < n || this.#heap.length > 0) return true
    for (; this.#written < n && steps > 0; steps--) {
      ids.push(this.#ids[this.#written]!)
      this.#written = this.#next[this.#written]!
    }
    return this.#written < n
  }

  #mergeLowest(): void {
    const key = this.#pop()
    const id = Math.floor(key / POSITIONS)
    const at = key % POSITIONS
    const right = this.#next[at]!
    if (this.#ids[at]! < 0 || right === this.#ids.length) return
    if (this.merges.of(this.#ids[at]!, this.#ids[right]!) !== id) return
    this.#ids[at] = id
    this.#ids[right] = -1
    const after = this.#next[right]!
    this.#next[at] = after
    if (after < this.#ids.length) this.#previous[after] = at
    this.#offer(at)
    if (this.#previous[at]! >= 0) this.#offer(this.#previous[at]!)
  }

  /** Puts the pair that starts at `at` into the heap, if it can merge. */
  #offer(at: number): void {
    const right = this.#next[at]!
    if (right === this.#ids.length) return
    const id = this.merges.of(this.#ids[at]!, this.#ids[right]!)
    if (id === undefined) return
    const key = id * POSITIONS + at
    const heap = this.#heap
    let i = heap.push(key) - 1
    for (let parent = (i - 1) >> 1; i > 0 && heap[parent]! > key; parent = (i - 1) >> 1) {
      heap[i] = heap[parent]!
      i = parent
    }
    heap[i] = key
  }

  #pop(): number {
    const heap = this.#heap
    const top = heap[0]!
    const key = heap.pop()!
    const length = heap.length
    for (let i = 0; length > 0; ) {
      let child = 2 * i + 1
      if (child + 1 < length && heap[child + 1]! < heap[child]!) child++
      if (child >= length || heap[child]! >= key) {
        heap[i] = key
        break
      }
      heap[i] = heap[child]!
      i = child
    }
    return top
  }
}
