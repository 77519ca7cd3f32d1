import { ALPHABET } from './byte-alphabet.js'
import { joined } from './joined.js'
import { MergePairs } from './merge-pairs.js'

/** Bounds of the kernel's tables: bytes of a token, and tokens. */
export const MAX_TOKEN_BYTES = 128
const MAX_TOKENS = (1 << 18) - 1

/** A merge that the file lists: two tokens in the byte alphabet, and its place in the list. */
export interface ListedMerge {
  readonly left: string
  readonly right: string
  readonly rank: number
}

/** Takes the merges by rising rank, and numbers the tokens in the order in which they can first form. */
export class MergeTableBuilder {
  readonly bytes: Uint8Array[] = []
  readonly ids: number[] = []
  readonly #tokens = new Map<string, number>()
  readonly #pairs = new MergePairs(ALPHABET.length)
  /** Merges listed before both halves could form, by the missing half. */
  readonly #early = new Map<string, ListedMerge[]>()

  /** @param unlisted makes the error for a merge with a token that the vocabulary lacks */
  constructor(
    private readonly vocab: ReadonlyMap<string, number>,
    private readonly unlisted: (merge: ListedMerge) => Error,
  ) {}

  /** Adds the next single byte. Returns false if the vocabulary lacks it. */
  addByte(character: string): boolean {
    const id = this.vocab.get(character)
    if (id === undefined) return false
    this.#tokens.set(character, this.ids.length)
    this.bytes.push(Uint8Array.of(this.ids.length))
    this.ids.push(id)
    return true
  }

  /**
   * Takes the merge of the next rank. Returns false if the merge order is ambiguous or a table would overflow.
   *
   * A merge may have a lower rank than those that give its halves. Then it happens before any other merge, as soon as its
   * halves stand side by side.
   *
   * @throws if the vocabulary lacks one of the tokens
   */
  take(merge: ListedMerge): boolean {
    const due: ListedMerge[] = []
    for (let next: ListedMerge | undefined = merge; next !== undefined; next = due.pop()) {
      const { left, right } = next
      const token = left + right
      const id = this.vocab.get(token)
      const l = this.#tokens.get(left)
      const r = this.#tokens.get(right)
      if (id === undefined) throw this.unlisted(next)
      if (l === undefined || r === undefined) {
        this.#wait(l === undefined ? left : right, next)
        continue
      }
      if (this.#pairs.has(l, r)) return false
      if (this.#tokens.has(token) || !this.#pairs.stayApart(l, r)) {
        this.#pairs.addDead(l, r)
        continue
      }
      // Ambiguous: the same right half could, further on, be merged to form the left half again.
      if (next.rank < merge.rank && this.#pairs.leftHalf(l) === r && l !== r) return false
      if (token.length > MAX_TOKEN_BYTES || this.ids.length === MAX_TOKENS) return false
      this.#pairs.add(l, r)
      this.#tokens.set(token, this.ids.length)
      this.ids.push(id)
      this.bytes.push(joined([this.bytes[l]!, this.bytes[r]!]))
      const early = this.#early.get(token)
      if (early === undefined) continue
      due.push(...early)
      due.sort((a, b) => b.rank - a.rank)
      this.#early.delete(token)
    }
    return true
  }

  #wait(half: string, merge: ListedMerge): void {
    if (!this.vocab.has(half)) throw this.unlisted(merge)
    const others = this.#early.get(half)
    if (others === undefined) this.#early.set(half, [merge])
    else others.push(merge)
  }
}
