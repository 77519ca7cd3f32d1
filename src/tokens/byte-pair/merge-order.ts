import { ALPHABET } from './byte-alphabet.js'
import { joined } from './joined.js'
import type { MergeOrder } from './kernel-tables.js'
import { MergePairs } from './merge-pairs.js'

/** Bounds of the kernel's tables: bytes of a token, and tokens. */
const MAX_TOKEN_BYTES = 128
const MAX_TOKENS = (1 << 18) - 1

/** What merging can give, and the id of each token. */
export interface Merged {
  readonly order: MergeOrder
  readonly ids: Int32Array
}

/**
 * The tokens that merging gives, in the order in which merges of rising rank give them; the encoder takes a token's
 * place in this order for its rank. Each comes from one pair alone: merging the token's bytes by itself ends with that
 * pair, and in any text the bytes between the token's borders go the same way. Other merges that are listed for the
 * token never happen: files that were made from tiktoken's ranks list every way to cut a token in two.
 *
 * @param vocab token in the byte alphabet → id
 * @param merges the two halves of each merge, all in `vocab`
 * @returns undefined where ranks do not rise with the order of forming, or a table would overflow
 */
export function mergeOrder(
  vocab: ReadonlyMap<string, number>,
  merges: readonly (readonly [string, string])[],
): Merged | undefined {
  const tokens = new Map<string, number>()
  const ids: number[] = []
  for (const character of ALPHABET) {
    const id = vocab.get(character)
    if (id === undefined) return undefined
    tokens.set(character, ids.length)
    ids.push(id)
  }
  const bytes: Uint8Array[] = ALPHABET.map((_, byte) => Uint8Array.of(byte))
  const pairs = new MergePairs(ALPHABET.length)
  const early: (readonly [string, string])[] = []
  const seen = new Set<number>()
  for (const merge of merges) {
    const [left, right] = [tokens.get(merge[0]), tokens.get(merge[1])]
    if (left === undefined || right === undefined) {
      early.push(merge)
      continue
    }
    const key = pairs.keyOf(left, right)
    if (seen.has(key)) return undefined
    seen.add(key)
    const token = merge[0] + merge[1]
    if (tokens.has(token) || !pairs.stayApart(left, right)) continue
    if (token.length > MAX_TOKEN_BYTES || ids.length === MAX_TOKENS) return undefined
    tokens.set(token, pairs.add(left, right))
    ids.push(vocab.get(token) as number)
    bytes.push(joined([bytes[left]!, bytes[right]!]))
  }
  // A merge listed before the merges of its halves would have happened at another time than its rank says.
  const isLate = ([left, right]: readonly [string, string]) =>
    tokens.has(left) && tokens.has(right) && !tokens.has(left + right)
  if (early.some(isLate)) return undefined
  return { order: orderOf(bytes), ids: Int32Array.from(ids) }
}

/** Tokens one after the other, an empty one where there is none. */
export function orderOf(tokens: readonly (Uint8Array | undefined)[]): MergeOrder {
  const offsets = new Uint32Array(tokens.length + 1)
  for (let i = 0; i < tokens.length; i++) offsets[i + 1] = offsets[i]! + (tokens[i]?.length ?? 0)
  return { bytes: joined(tokens), offsets }
}
