import { PairHeap } from './pair-heap.js'
import type { CountedPieces } from './piece-counter.js'

// A cell for each byte of each piece, with a separator before each piece:
// - where a token begins that has another one behind it: the number of the pair of the two;
// - where the last token of a piece begins: LAST and its id;
// - where a token of several bytes ends: BACK and its length; within it: BACK.
// So both neighbours of a token are one look away, and a place in a pair's list is right as long as its cell has the
// pair's number.
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
  readonly #cells: Uint32Array
  /** Where each piece begins among the cells, and how often it came. */
  readonly #starts: Uint32Array
  readonly #times: Float64Array
  readonly #pieceAt: Uint32Array
  // Pairs, by their numbers: both tokens, the count, and the list of places.
  readonly #left: number[] = []
  readonly #right: number[] = []
  readonly #count: number[] = []
  readonly #listAt: number[] = []
  readonly #listLength: number[] = []
  /** The lists of all pairs that may be merged; with the places of tokens that have been merged otherwise since. */
  #places = new Uint32Array(1 << 16)
  #numPlaces = 0
  readonly #heap = new PairHeap((pair, other) => {
    const difference = this.#left[pair] - this.#left[other]
    return difference === 0 ? this.#right[pair] < this.#right[other] : difference < 0
  })
  /** Bytes of each token, by id. */
  readonly #bytes: number[] = []

  /**
   * @param byteIds the id of each byte
   * @param minCount pairs that come less often are not merged
   * @param maxBytes merges have fewer bytes than this, but two bytes always
   */
  constructor(
    { bytes, ends, counts }: CountedPieces,
    byteIds: readonly number[],
    private readonly minCount: number,
    private readonly maxBytes: number,
  ) {
    for (const id of byteIds) this.#bytes[id] = 1
    this.#times = counts
    this.#cells = new Uint32Array(bytes.length + ends.length + 1)
    this.#starts = new Uint32Array(ends.length + 1)
    this.#pieceAt = new Uint32Array((this.#cells.length >> INDEX_BITS) + 1)
    const numbers = new Int32Array(1 << 16).fill(-1)
    let cell = 0
    for (let piece = 0, from = 0; piece < ends.length; piece++) {
      this.#cells[cell++] = SEPARATOR
      this.#starts[piece] = cell
      for (; from < ends[piece] - 1; from++) {
        const both = (bytes[from] << 8) | bytes[from + 1]
        if (numbers[both] < 0) numbers[both] = this.#addPair(byteIds[bytes[from]], byteIds[bytes[from + 1]])
        this.#count[numbers[both]] += counts[piece]
        this.#cells[cell++] = numbers[both]
      }
      this.#cells[cell++] = LAST + byteIds[bytes[from++]]
    }
    this.#cells[cell] = SEPARATOR
    this.#starts[ends.length] = cell
    for (let block = 0, piece = 0; block < this.#pieceAt.length; block++) {
      while (piece + 1 < ends.length && this.#starts[piece + 1] <= block << INDEX_BITS) piece++
      this.#pieceAt[block] = piece
    }
    const isPair = (place: number) => this.#cells[place] < LAST
    this.#keepLists(0, this.#cells.length, (i) => (isPair(i) ? i : undefined))
  }

  /** The pair to merge next: that with the greatest count, of equal ones the smallest left id, then the smallest right id. */
  best():
    | { readonly pair: number; readonly left: number; readonly right: number; readonly count: number }
    | undefined {
    for (let top = this.#heap.top; top !== undefined; top = this.#heap.top) {
      const { item: pair, key } = top
      const count = this.#count[pair]
      if (count === key) return { pair, left: this.#left[pair], right: this.#right[pair], count }
      // It came more often when it was put there.
      if (count < this.minCount) this.#heap.pop()
      else this.#heap.replaceTop(pair, count)
    }
    return undefined
  }

  /**
   * Merges the best pair, from the left in each piece. The new token's `id` is in no pair so far: two merges never make
   * the same bytes, since the same bytes are always merged in the same order.
   */
  merge(id: number): void {
    const { pair, left, right } = this.best()!
    this.#heap.pop()
    const cells = this.#cells
    const bytes = this.#bytes[left] + this.#bytes[right]
    this.#bytes[id] = bytes
    const firstNew = this.#left.length
    const before = new Map<number, number>()
    const behind = new Map<number, number>()
    const changed: number[] = []
    const end = this.#listAt[pair] + this.#listLength[pair]
    for (let i = this.#listAt[pair]; i < end; i++) {
      const place = this.#places[i]
      if (cells[place] !== pair) continue
      const times = this.#timesAt(place)
      const previous = cells[place - 1]
      if (previous !== SEPARATOR) {
        const start = previous >= BACK ? place - (previous - BACK) : place - 1
        const other = this.#left[cells[start]]
        this.#count[cells[start]] -= times
        cells[start] = this.#countNew(before, other, other, id, times)
        changed.push(start)
      }
      const middle = place + this.#bytes[left]
      const next = cells[middle]
      cells[middle] = BACK
      cells[place + bytes - 1] = BACK + bytes
      if (next >= LAST) cells[place] = LAST + id
      else {
        this.#count[next] -= times
        cells[place] = this.#countNew(behind, this.#right[next], id, this.#right[next], times)
        changed.push(place)
      }
    }
    this.#count[pair] = 0
    this.#keepLists(firstNew, changed.length, (i) => changed[i])
  }

  #mayMerge(pair: number): boolean {
    const bytes = this.#bytes[this.#left[pair]] + this.#bytes[this.#right[pair]]
    return this.#count[pair] >= this.minCount && (bytes < this.maxBytes || bytes === 2)
  }

  /** How often the piece of a place came. */
  #timesAt(place: number): number {
    let piece = this.#pieceAt[place >> INDEX_BITS]
    while (this.#starts[piece + 1] <= place) piece++
    return this.#times[piece]
  }

  #addPair(left: number, right: number): number {
    this.#right.push(right)
    this.#count.push(0)
    this.#listLength.push(0)
    return this.#left.push(left) - 1
  }

  /** Counts a pair that the present merge makes; returns its number. @param known such pairs by their `other` token */
  #countNew(known: Map<number, number>, other: number, left: number, right: number, times: number): number {
    const pair = known.get(other) ?? this.#addPair(left, right)
    known.set(other, pair)
    this.#count[pair] += times
    return pair
  }

  /** Lists the places of the pairs from `first` on that may be merged, among `count` places. */
  #keepLists(first: number, count: number, placeOf: (i: number) => number | undefined): void {
    const pairAt = (i: number) => {
      const place = placeOf(i)
      const pair = place === undefined ? -1 : this.#cells[place]
      return pair >= first && pair < LAST && this.#mayMerge(pair) ? pair : -1
    }
    for (let i = 0; i < count; i++) if (pairAt(i) >= 0) this.#listLength[pairAt(i)]++
    for (let pair = first; pair < this.#left.length; pair++) {
      this.#listAt[pair] = this.#numPlaces
      this.#numPlaces += this.#listLength[pair]
      this.#listLength[pair] = 0
      if (this.#mayMerge(pair)) this.#heap.push(pair, this.#count[pair])
    }
    if (this.#numPlaces > this.#places.length) {
      const larger = new Uint32Array(Math.ceil(this.#numPlaces * 1.5))
      larger.set(this.#places)
      this.#places = larger
    }
    for (let i = 0; i < count; i++) {
      const pair = pairAt(i)
      if (pair >= 0) this.#places[this.#listAt[pair] + this.#listLength[pair]++] = placeOf(i)!
    }
  }
}
