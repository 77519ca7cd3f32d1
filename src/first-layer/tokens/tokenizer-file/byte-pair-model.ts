import { bytesOfWritten } from '../byte-pair/byte-alphabet.js'
import type { MergeOrder } from '../byte-pair/kernel-tables.js'
import { type Merged, mergeOrder, orderOf } from '../byte-pair/merge-order.js'
import { type ListedMerge, MAX_TOKEN_BYTES } from '../byte-pair/merge-table-builder.js'
import { fileError, type JsonObject, type Place } from './fields.js'
import type { FileModel } from './model-vocabulary.js'

/** The `model` of a tokenizer.json. */
export interface BpeModel {
  readonly merged: Merged
  /** Tokens that no merge gives, each for pieces equal to it (`ignore_merges`). */
  readonly whole: MergeOrder | undefined
  /** The ids of `merged`, then those of `whole`. */
  readonly ids: Int32Array
}

/**
 * A BPE model over bytes; undefined for other models, for options that byte-level vocabularies do not use, and for an
 * ambiguous merge order.
 *
 * @throws InletError `model_failed` if the file is no tokenizer.json
 */
export function bpeModelOf({ vocabulary, json }: FileModel, file: string): BpeModel | undefined {
  if (!hasPlainOptions(json)) return undefined
  const place = { file, path: 'model' }
  const listed = json.merges ?? []
  if (!Array.isArray(listed)) throw fileError(place, 'merges', 'an array', listed)
  const unlisted = ({ left, right, rank }: ListedMerge) =>
    fileError(
      place,
      `merges.${rank}`,
      'two tokens that, with their union, stand in `model.vocab`',
      `${left} ${right}`,
    )
  const merged = mergeOrder(
    vocabulary,
    listed.map((merge, i) => mergeAt(merge, i, place)),
    unlisted,
  )
  if (merged === undefined) return undefined
  if (json.ignore_merges !== true) return { merged, whole: undefined, ids: merged.ids }
  const left = tokensLeft(vocabulary, merged.ids)
  if (left.some(([token]) => token.length > MAX_TOKEN_BYTES)) return undefined
  return {
    merged,
    whole: left.length === 0 ? undefined : orderOf(left.map(([token]) => bytesOfWritten(token))),
    ids: Int32Array.from([...merged.ids, ...left.map(([, id]) => id)]),
  }
}

/** The tokens of the byte alphabet that no merge gives. */
function tokensLeft(vocab: ReadonlyMap<string, number>, ids: Int32Array): [string, number][] {
  const merged = new Set(ids)
  return [...vocab].filter(
    ([token, id]) => !merged.has(id) && token !== '' && bytesOfWritten(token) !== undefined,
  )
}

function hasPlainOptions(model: JsonObject): boolean {
  const isAbsent = (name: string) => (model[name] ?? '') === ''
  return (model.dropout ?? 0) === 0 && isAbsent('continuing_subword_prefix') && isAbsent('end_of_word_suffix')
}

/** One merge in either form, `"a b"` or `["a", "b"]`. */
function mergeAt(merge: unknown, index: number, place: Place): readonly [string, string] {
  const halves = typeof merge === 'string' ? merge.split(' ') : merge
  if (Array.isArray(halves) && halves.length === 2 && halves.every((half) => typeof half === 'string'))
    return halves as [string, string]
  throw fileError(place, `merges.${index}`, 'two tokens, as `"a b"` or `["a", "b"]`', merge)
}
