import { ALPHABET } from './byte-alphabet.js'
import { joined } from './joined.js'
import type { MergeOrder } from './kernel-tables.js'
import { type ListedMerge, MergeTableBuilder } from './merge-table-builder.js'

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
    const [left, right] = merges[rank]!
    if (!builder.take({ left, right, rank })) return undefined
  }
  return { order: orderOf(builder.bytes), ids: Int32Array.from(builder.ids) }
}

/** Tokens one after the other, an empty one for undefined. */
export function orderOf(tokens: readonly (Uint8Array | undefined)[]): MergeOrder {
  const offsets = new Uint32Array(tokens.length + 1)
  for (let i = 0; i < tokens.length; i++) offsets[i + 1] = offsets[i]! + (tokens[i]?.length ?? 0)
  return { bytes: joined(tokens), offsets }
}
