import type { Vocabulary } from '../../../src/first-layer/tokens/vocabulary.js'

const RADIX = 2 ** 18 // ids are below it in all five encodings

/**
 * Merges of two neighbouring tokens: their pair → the id of the merged token, or undefined.
 *
 * One pair per token is enough: within a token's bytes the merges run as they do on these bytes alone, so
 * only one state of two symbols can come before it. Finding that pair for each token, in rank order and
 * with the merges of lower rank only, also proves what the merging relies on: that each token can be
 * formed, and that its id is its place in the order of formation.
 *
 * @throws Error naming the first token for which that does not hold
 */
export class Merges {
  readonly #merged = new Map<number, number>()
  readonly byteIds = new Int32Array(256).fill(-1)

  constructor({ bytes, offsets }: Vocabulary, specialTokens: ReadonlyMap<string, number> = new Map()) {
    const special = new Set(specialTokens.values())
    for (let id = 0; id + 1 < offsets.length; id++) {
      const token = bytes.subarray(offsets[id], offsets[id + 1])
      if (token.length === 0 || special.has(id)) continue
      if (token.length === 1) {
        this.byteIds[token[0]!] = id
        continue
      }
      const symbols = this.mergeAll(token)
      if (symbols.length !== 2)
        throw new Error(`token ${id} is ${symbols.length} symbols when its turn comes, expected 2`)
      this.#merged.set(symbols[0]! * RADIX + symbols[1]!, id)
    }
  }

  of(left: number, right: number): number | undefined {
    return left < 0 || right < 0 ? undefined : this.#merged.get(left * RADIX + right)
  }

  /** Merges the lowest rank first, the leftmost of equal ones, by looking at all pairs each time: O(n²). */
  mergeAll(piece: Uint8Array): number[] {
    const symbols = Array.from(piece, (byte) => this.byteIds[byte]!)
    for (;;) {
      let best = Number.POSITIVE_INFINITY
      let at = -1
      for (let i = 0; i + 1 < symbols.length; i++) {
        const id = this.of(symbols[i]!, symbols[i + 1]!)
        if (id === undefined || id >= best) continue
        best = id
        at = i
      }
      if (at < 0) return symbols
      symbols.splice(at, 2, best)
    }
  }

  /**
   * The same for pieces of any length: the places of each pair wait under its id, and the lowest id is merged at all of
   * its places before the next. A pair that comes about meanwhile has a higher id, since its token holds this one.
   */
  mergeLong(piece: Uint8Array): number[] {
    const symbols = Array.from(piece, (byte) => this.byteIds[byte]!)
    const next = symbols.map((_, at) => at + 1)
    const before = symbols.map((_, at) => at - 1)
    const waiting = new Map<number, number[]>()
    const pairAt = (at: number) => this.of(symbols[at] ?? -1, symbols[next[at]!] ?? -1)
    const wait = (at: number) => {
      const id = pairAt(at)
      if (id === undefined) return
      const places = waiting.get(id)
      if (places === undefined) waiting.set(id, [at])
      else places.push(at)
    }
    for (let at = 0; at < symbols.length; at++) wait(at)
    while (waiting.size > 0) {
      const id = Math.min(...waiting.keys())
      const places = waiting.get(id)!
      waiting.delete(id)
      for (const at of places.sort((a, b) => a - b)) {
        if (pairAt(at) !== id) continue // one of the two has been merged
        const gone = next[at]!
        symbols[at] = id
        symbols[gone] = -1
        next[at] = next[gone]!
        before[next[at]!] = at
        wait(at)
        if (before[at]! >= 0) wait(before[at]!)
      }
    }
    return symbols.filter((id) => id >= 0)
  }
}
