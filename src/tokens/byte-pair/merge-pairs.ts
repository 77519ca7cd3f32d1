const NEVER = Number.POSITIVE_INFINITY
const MAX_TOKENS = 2 ** 18

/** The pairs that merge, each into one token. Tokens are numbers in the order of their forming, single bytes first. */
export class MergePairs {
  readonly #merged = new Map<number, number>()
  /** The two tokens that merge to each; for a single byte, the byte itself. */
  readonly #left: number[]
  readonly #right: number[]

  constructor(singles: number) {
    this.#left = Array.from({ length: singles }, (_, token) => token)
    this.#right = [...this.#left]
  }

  /** One number for two tokens. */
  keyOf(left: number, right: number): number {
    return left * MAX_TOKENS + right
  }

  /** Adds the next token, which `left` and `right` merge to; returns it. */
  add(left: number, right: number): number {
    const token = this.#left.push(left) - 1
    this.#right.push(right)
    this.#merged.set(this.keyOf(left, right), token)
    return token
  }

  /** The first of the two tokens that merge to `token`; a single byte's is itself. */
  leftHalf(token: number): number {
    return this.#left[token]!
  }

  /**
   * Whether merging the bytes of `left` followed by those of `right` with the pairs so far gives these two tokens
   * again. The test undoes the merges of both sides, the latest first, and looks whether an earlier one would have
   * joined them; it is that of `bpe` in github/rust-gems (MIT licence).
   */
  stayApart(left: number, right: number): boolean {
    let limit = NEVER
    while (true) {
      if ((this.#merged.get(this.keyOf(left, right)) ?? NEVER) < limit) return false
      if (left > right) {
        limit = left
        left = this.#right[left]!
        if (left !== limit) continue
        limit = right + 1
        right = this.#left[right]!
        if (right + 1 === limit) return true
      } else {
        limit = right + 1
        right = this.#left[right]!
        if (right + 1 !== limit) continue
        limit = left
        left = this.#right[left]!
        if (left === limit) return true
      }
    }
  }
}
