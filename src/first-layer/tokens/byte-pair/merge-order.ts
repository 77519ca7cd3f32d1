import { instantiateTokenizeKernel } from '../../kernels/tokenize-kernel.js'
import { type MergeOrder, orderOf } from '../vocabulary.js'

/** The tokens that merging can give, and the id of each. */
export interface Merged {
  readonly order: MergeOrder
  readonly ids: Int32Array
}

/** A merge that the file lists: two tokens in the byte alphabet, and its place in the list. */
export interface ListedMerge {
  readonly left: string
  readonly right: string
  readonly rank: number
}

/** Bounds of the kernel's tables: bytes of a token, and tokens. */
export const MAX_TOKEN_BYTES = 128
const MAX_TOKENS = (1 << 18) - 1

/**
 * The tokens that merging gives, in the order in which they can first form; the encoder uses a token's place in this
 * order as its rank. Each token comes from one pair: merging its bytes ends with that pair, in any text. Other merges
 * listed for the token never happen: files made from tiktoken's ranks list every way to cut a token in two. A merge may have
 * a lower rank than those that give its halves: it happens before any other, as soon as its halves stand side by side.
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
  if (!ALPHABET.every((character) => vocab.has(character))) return undefined
  const kernel = instantiateTokenizeKernel()
  kernel.reservePairs(ALPHABET.length + merges.length)
  const tokens = new Map(ALPHABET.map((character, byte) => [character, byte]))
  const lefts = ALPHABET.map((_, byte) => byte)
  for (const byte of lefts) kernel.setHalves(byte, byte, byte)
  /** Merges listed before both halves could form, by the missing half. */
  const early = new Map<string, ListedMerge[]>()
  for (const [rank, [first, second]] of merges.entries()) {
    const due: ListedMerge[] = [{ left: first, right: second, rank }]
    for (let merge = due.pop(); merge !== undefined; merge = due.pop()) {
      const token = merge.left + merge.right
      const left = tokens.get(merge.left)
      const right = tokens.get(merge.right)
      if (!vocab.has(token)) throw unlisted(merge)
      if (left === undefined || right === undefined) {
        const half = left === undefined ? merge.left : merge.right
        if (!vocab.has(half)) throw unlisted(merge)
        early.set(half, [...(early.get(half) ?? []), merge])
        continue
      }
      if (kernel.mergedId(left, right) >= 0) return undefined
      if (tokens.has(token) || !kernel.staysApart(left, right)) continue // it never happens
      // Ambiguous: the same right half could, further on, be merged to form the left half again.
      if (merge.rank < rank && lefts[left] === right && left !== right) return undefined
      if (token.length > MAX_TOKEN_BYTES || tokens.size === MAX_TOKENS) return undefined
      kernel.addPair(left, right, tokens.size)
      tokens.set(token, lefts.push(left) - 1)
      due.push(...(early.get(token) ?? []))
      due.sort((a, b) => b.rank - a.rank)
      early.delete(token)
    }
  }
  const ids = Int32Array.from(tokens.keys(), (token) => vocab.get(token)!)
  return { order: orderOf([...tokens.keys()].map(bytesOfWritten)), ids }
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
