import { largeInt32Array } from '../memory.js'

const NONE = -1
const WORD_BITS = 5

/**
 * Bins by their free space. Of bins with equal space the one put last is taken first. A bitmap with summary levels
 * finds the next space in use in a few words, however many spaces exist.
 */
export class FreeSpaces {
  /** The bin that was put last at each space. */
  readonly #last: Int32Array
  /** The bin that was put at the same space before each bin. */
  readonly #before: Int32Array
  /** A bit for each space in use, and above each level a bit for each word that is not 0. */
  readonly #levels: Int32Array[] = []

  /** @param most space of an empty bin */
  constructor(most: number, bins: number) {
    this.#last = new Int32Array(most + 1).fill(NONE)
    this.#before = largeInt32Array(bins)
    let size = most + 1
    do {
      size = (size + 31) >>> WORD_BITS
      this.#levels.push(new Int32Array(size))
    } while (size > 1)
  }

  put(space: number, bin: number): void {
    this.#before[bin] = this.#last[space]!
    this.#last[space] = bin
    let bit = space
    for (const level of this.#levels) {
      level[bit >>> WORD_BITS]! |= 1 << (bit & 31)
      bit >>>= WORD_BITS
    }
  }

  /** Takes the bin that was put last at a space in use. */
  take(space: number): number {
    const bin = this.#last[space]!
    this.#last[space] = this.#before[bin]!
    if (this.#last[space] !== NONE) return bin
    let bit = space
    for (const level of this.#levels) {
      level[bit >>> WORD_BITS]! &= ~(1 << (bit & 31))
      if (level[bit >>> WORD_BITS] !== 0) break
      bit >>>= WORD_BITS
    }
    return bin
  }

  /** The smallest space in use of at least `least`. */
  smallestFrom(least: number): number | undefined {
    let bit = least
    let height = 0
    for (; ; height++) {
      const level = this.#levels[height]
      if (level === undefined || bit >>> WORD_BITS >= level.length) return undefined
      const word = level[bit >>> WORD_BITS]! & (-1 << (bit & 31))
      if (word !== 0) {
        bit = (bit & ~31) + lowestBit(word)
        break
      }
      bit = (bit >>> WORD_BITS) + 1
    }
    while (height-- > 0) bit = (bit << WORD_BITS) + lowestBit(this.#levels[height]![bit]!)
    return bit
  }
}

function lowestBit(word: number): number {
  return 31 - Math.clz32(word & -word)
}
