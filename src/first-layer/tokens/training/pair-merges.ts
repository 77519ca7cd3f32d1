import { PairHeap } from './pair-heap.js'
import type { CountedPieces } from './piece-counter.js'

// A cell of each byte of each piece, with a separator before each piece:
// - where a token begins that has another one behind it: the number of the pair of the two;
// - where the last token of a piece begins: LAST and its id;
// - where a token of several bytes ends: BACK and its length; within it: BACK.
// So from a token's first cell both neighbours are one look away, and a place in a pair's list is still right if its cell
// has the pair's number.
const LAST = 0x80000000
const BACK = 0xc0000000
const SEPARATOR = 0xffffffff

/** Cells for each entry of the index that finds a place's piece. */
const INDEX_BITS = 4

/**
 * The pairs of neighbouring tokens in the pieces of a text, with their counts: the sum over distinct pieces of the
 * piece's count times the pair's places, overlapping ones too. Exact integers, to 2^53.
 */
export class PairMerges {
  // Pieces.
  readonly #cells: Uint32Array
  /** Where each piece begins among the cells. */
  readonly #starts: Uint32Array
  readonly #counts: Float64Array
  readonly #pieceAt: Uint32Array
  // Pairs, by their numbers.
  #numPairs = 0
  #left = new Uint32Array(1 << 16)
  #right = new Uint32Array(1 << 16)
  #count = new Float64Array(1 << 16)
  #listAt = new Uint32Array(1 << 16)
  #listLength = new Uint32Array(1 << 16)
  /** The places of all pairs that may still be merged: the lists of their cells, in the order of the pairs' numbers. */
  #places: Uint32Array
  #numPlaces = 0
  readonly #heap: PairHeap
  /** Bytes of each token, by id. */
  #bytes: number[] = []
  // The pairs that the present merge makes: (x, new) by x, (new, y) by y, and the places of each as they come.
  readonly #before = new Map<number, number>()
  readonly #behind = new Map<number, number>()
  #newPairs = new Uint32Array(1 << 12)
  #newPlaces = new Uint32Array(1 << 12)
  #numNew = 0

  /**
   * @param byteIds the id of each byte
   * @param minCount pairs that come less often are not merged
   * @param maxBytes merges have fewer bytes than this, but two bytes always
   */
  constructor(
    { bytes, ends, counts }: CountedPieces,
    byteIds: ArrayLike<number>,
    private readonly minCount: number,
    private readonly maxBytes: number,
  ) {
    this.#counts = counts
    this.#cells = new Uint32Array(bytes.length + ends.length + 1)
    this.#starts = new Uint32Array(ends.length + 1)
    for (let piece = 0; piece < ends.length; piece++) this.#starts[piece + 1] = ends[piece]! + piece + 2
    this.#starts[0] = 1
    this.#pieceAt = new Uint32Array((this.#cells.length >> INDEX_BITS) + 1)
    for (let block = 0, piece = 0; block < this.#pieceAt.length; block++) {
      while (piece + 1 < ends.length && this.#starts[piece + 1]! <= block << INDEX_BITS) piece++
      this.#pieceAt[block] = piece
    }
    for (let byte = 0; byte < 256; byte++) this.#bytes[byteIds[byte]!] = 1
    this.#heap = new PairHeap((pair, other) => this.#isBefore(pair, other))
    this.#places = this.#countBytes(bytes, ends, byteIds)
    for (let pair = 0; pair < this.#numPairs; pair++)
      if (this.#mayMerge(pair)) this.#heap.push(pair, this.#count[pair]!)
  }

  /** The pair to merge next: that with the greatest count, of equal ones the smallest left id, then the smallest right id. */
  best(): { readonly left: number; readonly right: number; readonly count: number } | undefined {
    while (this.#heap.size > 0) {
      const pair = this.#heap.top
      const count = this.#count[pair]!
      if (count === this.#heap.topKey) return { left: this.#left[pair]!, right: this.#right[pair]!, count }
      // It came more often when its place in the heap was found.
      if (count < this.minCount) this.#heap.pop()
      else this.#heap.lowerTop(count)
    }
    return undefined
  }

  /**
   * Merges the best pair, from the left in each piece. `id`, the new token's, is in no pair so far: two merges never make
   * the same bytes, since a token's bytes are always merged in the same order.
   */
  merge(id: number): void {
    const pair = this.#heap.top
    this.#heap.pop()
    const cells = this.#cells
    const leftBytes = this.#bytes[this.#left[pair]!]!
    const bytes = leftBytes + this.#bytes[this.#right[pair]!]!
    this.#bytes[id] = bytes
    const firstNew = this.#numPairs
    const at = this.#listAt[pair]!
    for (let i = at; i < at + this.#listLength[pair]!; i++) {
      const place = this.#places[i]!
      if (cells[place] !== pair) continue
      const times = this.#timesAt(place)
      const before = cells[place - 1]!
      if (before !== SEPARATOR) {
        const start = before >= BACK ? place - (before - BACK) : place - 1
        const old = cells[start]!
        this.#count[old]! -= times
        cells[start] = this.#found(this.#before, this.#left[old]!, this.#left[old]!, id, times, start)
      }
      const right = place + leftBytes
      const behind = cells[right]!
      cells[right] = BACK
      cells[place + bytes - 1] = BACK + bytes
      if (behind >= LAST) cells[place] = LAST + id
      else {
        this.#count[behind]! -= times
        cells[place] = this.#found(this.#behind, this.#right[behind]!, id, this.#right[behind]!, times, place)
      }
    }
    this.#count[pair] = 0
    this.#listLength[pair] = 0
    this.#keepNew(firstNew)
  }

  #isBefore(pair: number, other: number): boolean {
    const left = this.#left[pair]! - this.#left[other]!
    return left === 0 ? this.#right[pair]! < this.#right[other]! : left < 0
  }

  #mayMerge(pair: number): boolean {
    const bytes = this.#bytes[this.#left[pair]!]! + this.#bytes[this.#right[pair]!]!
    return this.#count[pair]! >= this.minCount && (bytes < this.maxBytes || bytes === 2)
  }

  /** How often the piece of a place came. */
  #timesAt(place: number): number {
    let piece = this.#pieceAt[place >> INDEX_BITS]!
    while (this.#starts[piece + 1]! <= place) piece++
    return this.#counts[piece]!
  }

  /** Fills the cells with bytes; returns the places of their pairs. */
  #countBytes(bytes: Uint8Array, ends: Uint32Array, byteIds: ArrayLike<number>): Uint32Array {
    const cells = this.#cells
    const numbers = new Int32Array(1 << 16).fill(-1)
    cells[0] = SEPARATOR
    for (let piece = 0, from = 0, to = 1; piece < ends.length; piece++) {
      const last = ends[piece]! - 1
      for (; from < last; from++, to++) {
        const both = (bytes[from]! << 8) | bytes[from + 1]!
        let pair = numbers[both]!
        if (pair < 0) {
          pair = this.#addPair(byteIds[bytes[from]!]!, byteIds[bytes[from + 1]!]!)
          numbers[both] = pair
        }
        cells[to] = pair
        this.#count[pair]! += this.#counts[piece]!
        this.#listLength[pair]!++
      }
      cells[to++] = LAST + byteIds[bytes[from++]!]!
      cells[to++] = SEPARATOR
    }
    let total = 0
    for (let pair = 0; pair < this.#numPairs; pair++) {
      this.#listAt[pair] = total
      if (this.#mayMerge(pair)) total += this.#listLength[pair]!
      this.#listLength[pair] = 0
    }
    const places = new Uint32Array(total)
    this.#numPlaces = total
    for (let place = 0; place < cells.length; place++) {
      const pair = cells[place]!
      if (pair < LAST && this.#mayMerge(pair)) places[this.#listAt[pair]! + this.#listLength[pair]!++] = place
    }
    return places
  }

  /** The number of a pair that the present merge makes, by its other token. */
  #found(
    known: Map<number, number>,
    other: number,
    left: number,
    right: number,
    times: number,
    place: number,
  ): number {
    let pair = known.get(other)
    if (pair === undefined) {
      pair = this.#addPair(left, right)
      known.set(other, pair)
    }
    this.#count[pair]! += times
    if (this.#numNew === this.#newPairs.length) {
      this.#newPairs = grown(this.#newPairs)
      this.#newPlaces = grown(this.#newPlaces)
    }
    this.#newPairs[this.#numNew] = pair
    this.#newPlaces[this.#numNew++] = place
    return pair
  }

  #addPair(left: number, right: number): number {
    if (this.#numPairs === this.#left.length) {
      this.#left = grown(this.#left)
      this.#right = grown(this.#right)
      this.#count = grown(this.#count)
      this.#listAt = grown(this.#listAt)
      this.#listLength = grown(this.#listLength)
    }
    this.#left[this.#numPairs] = left
    this.#right[this.#numPairs] = right
    return this.#numPairs++
  }

  /** Keeps the lists of the pairs from `first` on that may be merged. */
  #keepNew(first: number): void {
    this.#before.clear()
    this.#behind.clear()
    let room = 0
    for (let i = 0; i < this.#numNew; i++) {
      const pair = this.#newPairs[i]!
      if (!this.#mayMerge(pair)) continue
      this.#listLength[pair]!++
      room++
    }
    if (this.#numPlaces + room > this.#places.length) this.#makeRoom(room, first)
    for (let pair = first; pair < this.#numPairs; pair++) {
      this.#listAt[pair] = this.#numPlaces
      this.#numPlaces += this.#listLength[pair]!
      this.#listLength[pair] = 0
    }
    for (let i = 0; i < this.#numNew; i++) {
      const pair = this.#newPairs[i]!
      if (this.#mayMerge(pair))
        this.#places[this.#listAt[pair]! + this.#listLength[pair]!++] = this.#newPlaces[i]!
    }
    this.#numNew = 0
    for (let pair = first; pair < this.#numPairs; pair++)
      if (this.#mayMerge(pair)) this.#heap.push(pair, this.#count[pair]!)
  }

  /** Drops places of merged tokens from the lists of the pairs below `first`; if few are dropped, takes more memory. */
  #makeRoom(room: number, first: number): void {
    let kept = 0
    for (let pair = 0; pair < first; pair++) {
      const at = this.#listAt[pair]!
      const end = at + this.#listLength[pair]!
      const isLive = this.#mayMerge(pair)
      this.#listAt[pair] = kept
      for (let i = at; i < end; i++) {
        const place = this.#places[i]!
        if (isLive && this.#cells[place] === pair) this.#places[kept++] = place
      }
      this.#listLength[pair] = kept - this.#listAt[pair]!
    }
    this.#numPlaces = kept
    const needed = kept + room
    if (needed > this.#places.length * 0.75) {
      const larger = new Uint32Array(Math.ceil(needed * 1.5))
      larger.set(this.#places.subarray(0, kept))
      this.#places = larger
    }
  }
}

function grown<Numbers extends Uint32Array | Float64Array>(numbers: Numbers): Numbers {
  const larger = new (numbers.constructor as new (length: number) => Numbers)(numbers.length * 2)
  larger.set(numbers)
  return larger
}
