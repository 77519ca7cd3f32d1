import type { NgramHash, NgramsCard } from './lookup-card.js'

/** A hash whose multipliers are cut into words of 32 bits. */
interface WordHash extends NgramHash {
  readonly high: Int32Array
  readonly low: Int32Array
}

/**
 * Numbers n-grams as rows of their tables. Products have 64 bits: they are made of two words here, for BigInt takes ten times
 * as long; `test/twins/memory.ts` has it with BigInt.
 */
export class NgramIds {
  readonly heads: number
  readonly #hashes: readonly WordHash[]
  readonly #seen: Int32Array

  constructor(
    private readonly card: Pick<NgramsCard, 'fill' | 'stopsAtFill' | 'context'>,
    hashes: readonly NgramHash[],
  ) {
    this.heads = hashes.reduce((sum, { sizes }) => sum + sizes.length, 0)
    this.#seen = new Int32Array(card.context + 1)
    this.#hashes = hashes.map((hash) => {
      const wide = hash.multipliers.map((each) => BigInt.asUintN(64, BigInt(each)))
      return {
        ...hash,
        high: Int32Array.from(wide, (each) => Number(BigInt.asIntN(32, each >> 32n))),
        low: Int32Array.from(wide, (each) => Number(BigInt.asIntN(32, each))),
      }
    })
  }

  /**
   * Writes the row numbers of each token, `heads` of them, from `out[at]` on.
   *
   * @param ids the tokens, after the `context` ids before them
   */
  fill(out: Int32Array, at: number, ids: Int32Array): void {
    const { fill, stopsAtFill, context } = this.card
    const seen = this.#seen
    let place = at
    for (let t = context; t < ids.length; t++) {
      let isHidden = false
      seen[0] = ids[t]
      for (let k = 1; k <= context; k++) {
        seen[k] = isHidden ? fill : ids[t - k]
        isHidden ||= stopsAtFill && seen[k] === fill
      }
      for (const hash of this.#hashes) place = writeRows(out, place, hash, seen)
    }
  }
}

/** Writes the row of each head of a hash from `out[place]` on; returns the place behind them. */
function writeRows(out: Int32Array, place: number, hash: WordHash, seen: Int32Array): number {
  const { combine, high: highs, low: lows, sizes, offsets } = hash
  let high = 0
  let low = 0
  for (let k = 0; k < highs.length; k++) {
    const id = seen[k]
    const lower = (lows[k] & 0xffff) * id
    const upper = (lows[k] >>> 16) * id + Math.floor(lower / 0x10000) // below 2^48
    const lowWord = (upper << 16) | (lower & 0xffff)
    const highWord = (Math.imul(highs[k], id) + Math.floor(upper / 0x10000)) | 0
    if (combine === 'xor') {
      high ^= highWord
      low ^= lowWord
    } else {
      const sum = (low >>> 0) + (lowWord >>> 0)
      high = (high + highWord + (sum > 0xffffffff ? 1 : 0)) | 0
      low = sum | 0
    }
  }
  for (let h = 0; h < sizes.length; h++) {
    const size = sizes[h]
    const ofHigh = modulo(high, size)
    const ofMiddle = modulo(ofHigh * 0x10000 + (low >>> 16), size)
    out[place++] = modulo(ofMiddle * 0x10000 + (low & 0xffff), size) + offsets[h]
  }
  return place
}

/** The remainder that is not negative. Exact below 2^16 × `size`, with sizes below 2^31: no quotient is rounded up. */
function modulo(value: number, size: number): number {
  return value - Math.floor(value / size) * size
}
