import type { MergeOrder } from './kernel-tables.js'
import { MergePairs } from './merge-pairs.js'

/** The tokens that merging can give, and the id of each. */
export interface Merged {
  readonly order: MergeOrder
  readonly ids: Int32Array
}

/**
 * The tokens that merging gives, in the order in which they can first form; the encoder uses a token's place in this
 * order as its rank. Each token comes from one pair: merging its bytes ends with that pair, in any text. Other merges
 * listed for the token never happen: files made from tiktoken's ranks list every way to cut a token in two.
 *
 * @param vocab token in the byte alphabet → id
 * @param merges the two halves of each merge
 * @param unlisted makes the error that is thrown for a merge with a token that `vocab` lacks
 * @returns undefined if the merge order is ambiguous or a table would overflow
 */
export function mergeOrder(
  vocab: ReadonlyMap<string, number>,
  merges: readonly (readonly [string, string])[],
  unlisted: (merge: ListedMerge) => Error,
): Merged | undefined {
  const builder = new MergeTableBuilder(vocab, unlisted)
  for (const character of ALPHABET) if (!builder.addByte(character)) return undefined
  for (let rank = 0; rank < merges.length; rank++) {
    const [left, right] = merges[rank]
    if (!builder.take({ left, right, rank })) return undefined
  }
  return { order: orderOf(builder.bytes), ids: Int32Array.from(builder.ids) }
}

/** Tokens one after the other, an empty one for undefined. */
export function orderOf(tokens: readonly (Uint8Array | undefined)[]): MergeOrder {
  const offsets = new Uint32Array(tokens.length + 1)
  for (let i = 0; i < tokens.length; i++) offsets[i + 1] = offsets[i] + (tokens[i]?.length ?? 0)
  return { bytes: joined(tokens), offsets }
}

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
      this.bytes.push(joined([this.bytes[l], this.bytes[r]]))
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

/**
 * GPT-2's alphabet: byte-level vocabularies write each byte as one visible character. Bytes that are visible in Latin-1
 * stand for themselves, the others for U+0100 and up, in order: `Ġ` (U+0120) is the blank.
 */
export const ALPHABET: readonly string[] = alphabet()

const BYTES = new Map(ALPHABET.map((character, byte) => [character.charCodeAt(0), byte]))

/** The bytes of a token written in the alphabet: `Ġa` → 20 61. Undefined if a character is not in it. */
export function bytesOfWritten(token: string): Uint8Array | undefined {
  const bytes = new Uint8Array(token.length)
  for (let i = 0; i < token.length; i++) {
    const byte = BYTES.get(token.charCodeAt(i))
    if (byte === undefined) return undefined
    bytes[i] = byte
  }
  return bytes
}

function alphabet(): string[] {
  const isVisible = (byte: number) =>
    (byte >= 0x21 && byte <= 0x7e) || (byte >= 0xa1 && byte <= 0xac) || byte >= 0xae
  let next = 0x100
  return Array.from({ length: 256 }, (_, byte) => String.fromCharCode(isVisible(byte) ? byte : next++))
}

const NONE = new Uint8Array(0)

/** Copies the parts one after the other into new memory: a `Buffer` could share a pool's, which is posted whole. */
export function joined(parts: readonly (Uint8Array | undefined)[]): Uint8Array {
  let length = 0
  for (const part of parts) length += part?.length ?? 0
  const all = new Uint8Array(length)
  let at = 0
  for (const part of parts) {
    all.set(part ?? NONE, at)
    at += part?.length ?? 0
  }
  return all
}
