/** Token ids in an array, a typed array or a TokenBuffer. */
export interface Ids {
  readonly length: number
  at(index: number): number | undefined
}

const BLOCK_BITS = 16
const BLOCK_IDS = 1 << BLOCK_BITS
const FIRST_CAPACITY = 256
/** Up to so many ids are copied one by one: making a view would take longer. */
const FEW_IDS = 32

/**
 * A growable list of token ids (int32) in blocks of 65,536, so that a list of 64 million grows without copying. A short
 * list has one small block.
 *
 * `const ids = TokenBuffer.of([40, 367, 2885]); ids.at(1)` → 367; `ids.length` → 3.
 */
export class TokenBuffer {
  readonly #blocks: Int32Array[] = []
  #length = 0
  /** Characters (code points) of the ids' text; 0 for ids that a client sent. */
  characters = 0
  /**
   * Each token's place in the document: start and end in bytes of its UTF-8, two numbers for each id. Undefined if not
   * wanted, or if they follow from the tokens' lengths.
   */
  ranges: TokenBuffer | undefined

  static of(ids: ArrayLike<number>): TokenBuffer {
    const buffer = new TokenBuffer()
    buffer.append(ids instanceof Int32Array ? ids : Int32Array.from(ids))
    return buffer
  }

  get length(): number {
    return this.#length
  }

  /** Bytes of the ids and their ranges as int32, without unused memory. */
  get byteLength(): number {
    return (
      (this.#length + (this.ranges === undefined ? 0 : this.ranges.#length)) * Int32Array.BYTES_PER_ELEMENT
    )
  }

  push(id: number): void {
    this.#room(1)[this.#length++ & (BLOCK_IDS - 1)] = id
  }

  /** Appends the range of the next id's token: the bytes `start … end − 1`. */
  pushRange(start: number, end: number): void {
    this.ranges ??= new TokenBuffer()
    this.ranges.push(start)
    this.ranges.push(end)
  }

  append(ids: Int32Array): void {
    this.appendPart(ids, 0, ids.length)
  }

  appendPart(ids: Int32Array, start: number, count: number): void {
    for (let done = 0; done < count; ) {
      const block = this.#room(count - done)
      const offset = this.#length & (BLOCK_IDS - 1)
      const part = Math.min(count - done, BLOCK_IDS - offset)
      const from = start + done
      if (part > FEW_IDS) block.set(ids.subarray(from, from + part), offset)
      else for (let i = 0; i < part; i++) block[offset + i] = ids[from + i]
      this.#length += part
      done += part
    }
  }

  /** Forgets the ids and keeps their memory for others. `characters` counts on. */
  clear(): void {
    this.#length = 0
    this.ranges?.clear()
  }

  /** The id at `index`, which must be in 0 … length − 1. */
  at(index: number): number {
    if (!(index >= 0 && index < this.#length))
      throw new RangeError(`index ${index} is not in 0 … ${this.#length - 1}`)
    return this.#blocks[index >>> BLOCK_BITS][index & (BLOCK_IDS - 1)]
  }

  /** Copies `count` ids from `start` on to `out[outStart …]`. */
  copyTo(out: Int32Array, start: number, count: number, outStart = 0): void {
    if (!(start >= 0 && count >= 0 && start + count <= this.#length))
      throw new RangeError(`ids ${start} … ${start + count} are not in 0 … ${this.#length}`)
    for (let done = 0; done < count; ) {
      const from = (start + done) & (BLOCK_IDS - 1)
      const part = Math.min(count - done, BLOCK_IDS - from)
      const block = this.#blocks[(start + done) >>> BLOCK_BITS]
      if (part > FEW_IDS) out.set(block.subarray(from, from + part), outStart + done)
      else for (let i = 0; i < part; i++) out[outStart + done + i] = block[from + i]
      done += part
    }
  }

  /** The ids as views of at most 65,536, in order, without copying. */
  *blocks(): IterableIterator<Int32Array> {
    for (let start = 0; start < this.#length; start += BLOCK_IDS)
      yield this.#blocks[start >>> BLOCK_BITS].subarray(0, Math.min(BLOCK_IDS, this.#length - start))
  }

  *[Symbol.iterator](): IterableIterator<number> {
    for (const block of this.blocks()) yield* block
  }

  toInt32Array(): Int32Array {
    const out = new Int32Array(this.#length)
    this.copyTo(out, 0, this.#length)
    return out
  }

  /** The block that takes the next id, large enough for `wanted` more ids or up to the block's end. */
  #room(wanted: number): Int32Array {
    const number = this.#length >>> BLOCK_BITS
    const needed = Math.min((this.#length & (BLOCK_IDS - 1)) + wanted, BLOCK_IDS)
    let block = this.#blocks[number]
    if (block === undefined) {
      // The first block only holds the first ids: most texts are short.
      block = new Int32Array(number > 0 ? BLOCK_IDS : Math.max(FIRST_CAPACITY, needed))
      this.#blocks.push(block)
    } else if (block.length < needed) {
      const grown = new Int32Array(Math.min(BLOCK_IDS, Math.max(needed, block.length * 2)))
      grown.set(block)
      block = this.#blocks[number] = grown
    }
    return block
  }
}
