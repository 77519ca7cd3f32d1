const NEVER = Number.POSITIVE_INFINITY
/** Results of `#mergedOf` for a pair that is listed but never stands side by side, and for other pairs that do not merge. */
const DEAD = -1
const ABSENT = -2
const FIRST_BITS = 12
const SLOT = 3

/** The pairs that merge, each into one token. Tokens are numbered in the order of formation, single bytes first. */
export class MergePairs {
  /** The two tokens that merge to each; for a single byte, the byte itself. */
  readonly #left: number[]
  readonly #right: number[]
  /** Slots of left + 1 (0: free), right, and the token or DEAD. At most half of them are used. */
  #slots = new Int32Array(SLOT << FIRST_BITS)
  #bits = FIRST_BITS
  #count = 0

  constructor(singles: number) {
    this.#left = Array.from({ length: singles }, (_, token) => token)
    this.#right = [...this.#left]
  }

  /** Adds the next token, which `left` and `right` merge to. */
  add(left: number, right: number): void {
    this.#set(left, right, this.#left.push(left) - 1)
    this.#right.push(right)
  }

  /** Notes a pair that never stands side by side. */
  addDead(left: number, right: number): void {
    this.#set(left, right, DEAD)
  }

  /** Whether the pair was added. */
  has(left: number, right: number): boolean {
    return this.#slots[this.#slotOf(left, right)] !== 0
  }

  /** The first of the two tokens that merge to `token`; a single byte's is itself. */
  leftHalf(token: number): number {
    return this.#left[token]
  }

  /**
   * Whether merging the bytes of `left` followed by those of `right` with the pairs so far gives the same two tokens
   * again. Undoes the merges of both sides, the latest first, and checks whether an earlier one would have joined them,
   * like `bpe` in github/rust-gems (MIT licence).
   */
  stayApart(left: number, right: number): boolean {
    let limit = NEVER
    while (true) {
      const merged = this.#mergedOf(left, right)
      if (merged >= 0 && merged < limit) return false
      if (left > right) {
        limit = left
        left = this.#right[left]
        if (left !== limit) continue
        limit = right + 1
        right = this.#left[right]
        if (right + 1 === limit) return true
      } else {
        limit = right + 1
        right = this.#left[right]
        if (right + 1 !== limit) continue
        limit = left
        left = this.#right[left]
        if (left === limit) return true
      }
    }
  }

  #mergedOf(left: number, right: number): number {
    const slot = this.#slotOf(left, right)
    return this.#slots[slot] === 0 ? ABSENT : this.#slots[slot + 2]
  }

  #set(left: number, right: number, token: number): void {
    if (2 * ++this.#count > 1 << this.#bits) this.#grow()
    const slot = this.#slotOf(left, right)
    this.#slots[slot] = left + 1
    this.#slots[slot + 1] = right
    this.#slots[slot + 2] = token
  }

  /** The slot of the pair, or the free one where it would be. */
  #slotOf(left: number, right: number): number {
    const mask = (1 << this.#bits) - 1
    let i = (Math.imul(left, 0x9e3779b1) ^ Math.imul(right, 0x85ebca6b)) >>> (32 - this.#bits)
    while (true) {
      const slot = SLOT * i
      const key = this.#slots[slot]
      if (key === 0 || (key === left + 1 && this.#slots[slot + 1] === right)) return slot
      i = (i + 1) & mask
    }
  }

  #grow(): void {
    const old = this.#slots
    this.#bits++
    this.#slots = new Int32Array(SLOT << this.#bits)
    for (let slot = 0; slot < old.length; slot += SLOT) {
      if (old[slot] === 0) continue
      const next = this.#slotOf(old[slot] - 1, old[slot + 1])
      this.#slots.set(old.subarray(slot, slot + SLOT), next)
    }
  }
}
