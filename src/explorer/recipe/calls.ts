import type { Call } from '../api/client.js'
import type { OutputName } from '../api/types.js'
import { documentsOf, idsOf, type Position, type Recipe } from './recipe.js'

/** Texts of more characters go as they are, with the fields in the query string: the service streams them. */
export const LONG_TEXT = 65_536

/** The fields of a recipe that go with its text, without those that are the service's own defaults. */
export function fieldsOf(recipe: Recipe): Readonly<Record<string, unknown>> {
  const { text: _text, documents: _documents, batch_size, batch_index, ...fields } = recipe
  return defined({ ...fields, batch_size, batch_index })
}

/** A call of `/v1/input-embeddings` for the tensors named. @param batch false: every window, in loader order */
export function embeddingsCall(recipe: Recipe, outputs: readonly OutputName[], batch = true): Call {
  const { batch_size, batch_index, ...rest } = fieldsOf(recipe)
  const fields = batch ? { ...rest, batch_size, batch_index } : rest
  const path = 'v1/input-embeddings'
  if (recipe.documents === 'ids') return { path, body: { input_ids: idsOf(recipe), ...fields, outputs } }
  const documents = documentsOf(recipe)
  if (documents.length === 1 && documents[0].length > LONG_TEXT) {
    return { path, body: documents[0], query: { ...flat(fields), outputs: outputs.join(',') } }
  }
  const text = documents.length === 1 ? documents[0] : documents
  return { path, body: { text, ...fields, outputs } }
}

/** The tokens of one document, by the model's own tokenizer. */
export function tokenizeCall({ model }: Recipe, text: string): Call {
  return { path: 'v1/tokenize', body: defined({ text, model }) }
}

/** The tensors of a scheme, absent: the model's own, for `length` positions. */
export function positionCall(
  model: string,
  position: Position | undefined,
  length: number,
  position_offset?: number,
): Call {
  const fields = defined({ position_embedding: position, position_offset, context_length: length })
  return { path: `v1/models/${encodeURIComponent(model)}/position-embeddings`, query: flat(fields) }
}

/** Rows of ids as they stand in windows, at positions from `offset` on. */
export function rowsCall(
  recipe: Recipe,
  ids: readonly number[][],
  offset: number,
  outputs: readonly OutputName[],
): Call {
  const { model, position_embedding, architecture } = recipe
  const fields = defined({ model, position_embedding, architecture, position_offset: offset })
  return { path: 'v1/input-embeddings', body: { input_ids: ids, ...fields, outputs } }
}

function defined(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
}

/** Fields of the query string: `{ position_embedding: { type: 'rope', head_dim: 4 } }` → `position_embedding=rope` … */
export function flat(fields: Readonly<Record<string, unknown>>): Record<string, string> {
  const pairs = Object.entries(fields).flatMap(([name, value]): [string, string][] => {
    if (typeof value !== 'object' || value === null) return [[name, String(value)]]
    const { type, ...options } = value as Record<string, unknown>
    return [
      [name, String(type)],
      ...Object.entries(options).map(([option, each]): [string, string] => [
        `${name}.${option}`,
        String(each),
      ]),
    ]
  })
  return Object.fromEntries(pairs)
}

/** The text of one id, by the model's own tokenizer. */
export function detokenizeCall(model: string | undefined, id: number): Call {
  return { path: 'v1/detokenize', body: defined({ input_ids: [id], model }) }
}
