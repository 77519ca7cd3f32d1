import { crc32 } from './crc32.js'

/**
 * CRC-32 of tensors whose rows come from one table of `vocabSize` rows, each row's own kept after its first use: a
 * known row costs four lookups, whatever its length. The rows of an id must be the same bytes each time.
 *
 * `new RowCrcs(32_000, 8192).after(crc, ids, rowAt)` → `crc32(block, crc)`, where `block` has the rows of `ids`.
 *
 * CRC-32 without its constants is linear over GF(2), so that of two strings of bytes is that of the first, moved on by
 * as many zeros as the second has bytes, xor that of the second (`crc32_combine` of zlib).
 */
export class RowCrcs {
  /** By id. 0: not known; a row whose CRC is 0 is read each time. */
  readonly #known: Int32Array
  readonly #moved: Int32Array

  /** @param rowBytes of each row */
  constructor(
    vocabSize: number,
    readonly rowBytes: number,
  ) {
    this.#known = new Int32Array(vocabSize)
    this.#moved = movedByZeros(rowBytes)
  }

  /**
   * The CRC of all bytes so far.
   *
   * @param crc of the bytes before the block
   * @param ids of the rows that follow
   * @param rowAt the bytes of the row of `ids[i]`: asked for where they are not known
   */
  after(crc: number, ids: Int32Array, rowAt: (i: number) => Uint8Array): number {
    const known = this.#known
    const moved = this.#moved
    let all = crc
    for (let i = 0; i < ids.length; i++) {
      const id = ids[i]
      if (known[id] === 0) known[id] = crc32(rowAt(i))
      all =
        moved[all & 0xff] ^
        moved[0x100 | ((all >>> 8) & 0xff)] ^
        moved[0x200 | ((all >>> 16) & 0xff)] ^
        moved[0x300 | (all >>> 24)] ^
        known[id]
    }
    return all >>> 0
  }
}

/** Table k, at 256 k: what byte k of a CRC becomes when `count` zeros follow. */
function movedByZeros(count: number): Int32Array {
  const zeros = new Uint8Array(count)
  const constant = crc32(zeros)
  const moved = new Int32Array(4 * 256)
  for (let bit = 0; bit < 32; bit++) {
    const base = (bit >>> 3) << 8
    const value = 1 << (bit & 7)
    const changed = crc32(zeros, (1 << bit) >>> 0) ^ constant
    for (let lower = 0; lower < value; lower++) moved[base | value | lower] = moved[base | lower] ^ changed
  }
  return moved
}
