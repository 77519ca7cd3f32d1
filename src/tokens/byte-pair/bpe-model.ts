import { bytesOfWritten } from './byte-alphabet.js'
import { type Fields, idAt, listAt, malformed, objectAt } from './file-field.js'
import { type Merged, mergeOrder } from './merge-order.js'

/** The `model` of a tokenizer.json. */
export interface BpeModel {
  /** Token, in the byte alphabet → id. */
  readonly vocab: ReadonlyMap<string, number>
  readonly merged: Merged
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
    vocab.set(token, idAt(id, `model.vocab.${token}`))
  const merges = listAt(model.merges, 'model.merges').map((merge, i) => mergeAt(merge, i, vocab))
  const merged = mergeOrder(vocab, merges)
  if (merged === undefined || new Set(vocab.values()).size < vocab.size) return undefined
  // A piece that is a token is taken whole then, though no merge may give it.
  if (model.ignore_merges === true && merged.ids.length < byteTokens(vocab)) return undefined
  return { vocab, merged }
}

function hasPlainOptions(model: Fields): boolean {
  const isAbsent = (name: string) => (model[name] ?? '') === ''
  return (model.dropout ?? 0) === 0 && isAbsent('continuing_subword_prefix') && isAbsent('end_of_word_suffix')
}

/** One merge in either form, `"a b"` or `["a", "b"]`. */
function mergeAt(
  merge: unknown,
  index: number,
  vocab: ReadonlyMap<string, number>,
): readonly [string, string] {
  const field = `model.merges.${index}`
  const halves = typeof merge === 'string' ? merge.split(' ') : merge
  if (!Array.isArray(halves) || halves.length !== 2 || !halves.every((half) => typeof half === 'string'))
    throw malformed(field, 'must be two tokens, as `"a b"` or `["a", "b"]`', merge)
  const [left, right] = halves as [string, string]
  for (const token of [left, right, left + right])
    if (!vocab.has(token))
      throw malformed(field, 'must have its tokens and their union in `model.vocab`', merge)
  return [left, right]
}

/** How many tokens are written in the byte alphabet alone. */
function byteTokens(vocab: ReadonlyMap<string, number>): number {
  let count = 0
  for (const token of vocab.keys()) if (token !== '' && bytesOfWritten(token) !== undefined) count++
  return count
}
