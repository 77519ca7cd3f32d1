import { bytesOfWritten } from './byte-alphabet.js'
import { type Fields, idAt, listAt, malformed, objectAt } from './file-field.js'
import { MAX_TOKEN_BYTES } from './forming.js'
import type { MergeOrder } from './kernel-tables.js'
import { type Merged, mergeOrder, orderOf } from './merge-order.js'

/** The `model` of a tokenizer.json. */
export interface BpeModel {
  /** Token, in the byte alphabet → id. */
  readonly vocab: ReadonlyMap<string, number>
  readonly merged: Merged
  /** Tokens that no merge gives, and that count where they are a whole piece (`ignore_merges`). */
  readonly whole: MergeOrder | undefined
  /** The ids of `merged`, then those of `whole`. */
  readonly ids: Int32Array
}

/**
 * A BPE model over bytes; undefined for another model, and for options that byte-level vocabularies have no use for.
 *
 * @throws InletError `model_failed` where the file is no tokenizer.json
 */
export function bpeModelOf(model: Fields): BpeModel | undefined {
  if (model.type !== 'BPE' || !hasPlainOptions(model)) return undefined
  const vocab = new Map<string, number>()
  for (const [token, id] of Object.entries(objectAt(model.vocab, 'model.vocab')))
    vocab.set(token, idAt(id, 'model.vocab', token))
  const merges = listAt(model.merges, 'model.merges').map(mergeAt)
  const merged = mergeOrder(vocab, merges)
  if (merged === undefined || new Set(vocab.values()).size < vocab.size) return undefined
  if (model.ignore_merges !== true) return { vocab, merged, whole: undefined, ids: merged.ids }
  const left = tokensLeft(vocab, merged.ids)
  if (left.some(([token]) => token.length > MAX_TOKEN_BYTES)) return undefined
  return {
    vocab,
    merged,
    whole: left.length === 0 ? undefined : orderOf(left.map(([token]) => bytesOfWritten(token))),
    ids: Int32Array.from([...merged.ids, ...left.map(([, id]) => id)]),
  }
}

/** The tokens, written in the byte alphabet alone, that no merge gives. */
function tokensLeft(vocab: ReadonlyMap<string, number>, ids: Int32Array): [string, number][] {
  const merged = new Set(ids)
  return [...vocab].filter(
    ([token, id]) => !merged.has(id) && token !== '' && bytesOfWritten(token) !== undefined,
  )
}

function hasPlainOptions(model: Fields): boolean {
  const isAbsent = (name: string) => (model[name] ?? '') === ''
  return (model.dropout ?? 0) === 0 && isAbsent('continuing_subword_prefix') && isAbsent('end_of_word_suffix')
}

/** One merge in either form, `"a b"` or `["a", "b"]`. */
function mergeAt(merge: unknown, index: number): readonly [string, string] {
  const halves = typeof merge === 'string' ? merge.split(' ') : merge
  if (Array.isArray(halves) && halves.length === 2 && halves.every((half) => typeof half === 'string'))
    return halves as [string, string]
  throw malformed(`model.merges.${index}`, 'must be two tokens, as `"a b"` or `["a", "b"]`', merge)
}
