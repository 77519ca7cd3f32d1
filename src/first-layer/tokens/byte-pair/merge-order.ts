import { ALPHABET } from './byte-alphabet.js'
import { Forming, type ListedMerge } from './merge-table-builder.js'
import { joined } from './joined.js'
import type { MergeOrder } from './kernel-tables.js'

/** What merging can give, and the id of each token. */
export interface Merged {
  readonly order: MergeOrder
  readonly ids: Int32Array
}

/**
 * The tokens that merging gives, in the order in which they first can form; the encoder takes a token's place in this
 * order for its rank. Each comes from one pair alone: merging the token's bytes by itself ends with that pair, and in
 * any text the bytes between the token's borders go the same way. Other merges that are listed for the token never
 * happen: files that were made from tiktoken's ranks list every way to cut a token in two.
 *
 * @param vocab token in the byte alphabet → id
 * @param merges the two halves of each merge
 * @param unlisted makes the error that is thrown for a merge of which `vocab` lacks a token
 * @returns undefined where the order cannot be told, or a table would overflow
 */
export function mergeOrder(
  vocab: ReadonlyMap<string, number>,
  merges: readonly (readonly [string, string])[],
  unlisted: (merge: ListedMerge) => Error,
): Merged | undefined {
  const forming = new Forming(vocab, unlisted)
  for (const character of ALPHABET) if (!forming.addByte(character)) return undefined
  for (let rank = 0; rank < merges.length; rank++) {
    const [left, right] = merges[rank]!
    if (!forming.take({ left, right, rank })) return undefined
  }
  return { order: orderOf(forming.bytes), ids: Int32Array.from(forming.ids) }
}

/** Tokens one after the other, an empty one where there is none. */
export function orderOf(tokens: readonly (Uint8Array | undefined)[]): MergeOrder {
  const offsets = new Uint32Array(tokens.length + 1)
  for (let i = 0; i < tokens.length; i++) offsets[i + 1] = offsets[i]! + (tokens[i]?.length ?? 0)
  return { bytes: joined(tokens), offsets }
}
