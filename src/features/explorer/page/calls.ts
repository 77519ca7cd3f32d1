import { Asking } from '../../../../clients/typescript/src/asking.js'
import type { Inlet, InputEmbeddingsFields, OutputName } from '../../../../clients/typescript/src/index.js'
import { documentsOf, idsOf, type Recipe } from './recipe.js'

/** The calls of the client that the page makes. A browser need not load the others, of which there are many. */
export class Calls extends Asking {
  readonly inputEmbeddings: Inlet['inputEmbeddings'] = (body, options = {}) =>
    this.tensors({ method: 'POST', path: '/v1/input-embeddings', body, raw: 'text' }, options)

  readonly positionEmbeddings: Inlet['positionEmbeddings'] = (model, query, options = {}) =>
    this.tensors({ method: 'GET', path: `${pathOf(model)}/position-embeddings`, query }, options)

  readonly tokenize: Inlet['tokenize'] = (body, options = {}) =>
    this.tensors({ method: 'POST', path: '/v1/tokenize', body }, options)

  readonly detokenize: Inlet['detokenize'] = (body, options = {}) =>
    this.json({ method: 'POST', path: '/v1/detokenize', body }, options)

  readonly models: Inlet['models'] = (options = {}) =>
    this.json({ method: 'GET', path: '/v1/models' }, options)

  readonly model: Inlet['model'] = (model, options = {}) =>
    this.json({ method: 'GET', path: pathOf(model) }, options)
}

function pathOf(model: string): string {
  return `/v1/models/${encodeURIComponent(model)}`
}

/** Texts of more characters go as they are, with the fields in the query string: the service streams them. */
export const LONG_TEXT = 65_536

/** The fields of a request for the tensors named. @param batch false: every window, in loader order */
export function embeddingsFields(
  recipe: Recipe,
  outputs: readonly OutputName[],
  batch = true,
): InputEmbeddingsFields {
  const { text: _text, documents: _documents, batch_size, batch_index, ...rest } = recipe
  const given = Object.entries({ ...rest, ...(batch && { batch_size, batch_index }) })
  const fields: InputEmbeddingsFields = {
    ...Object.fromEntries(given.filter(([, value]) => value !== undefined)),
    outputs: [...outputs],
  }
  if (recipe.documents === 'ids') return { input_ids: idsOf(recipe) as number[], ...fields }
  const documents = documentsOf(recipe)
  return { text: documents.length === 1 ? documents[0] : documents, ...fields }
}

export function asSent(fields: InputEmbeddingsFields): InputEmbeddingsFields {
  return isLong(fields) ? { ...fields, text: new TextEncoder().encode(fields.text) } : fields
}

/** Whether the fields have one text that goes as it is. */
export function isLong(fields: InputEmbeddingsFields): fields is InputEmbeddingsFields & { text: string } {
  return typeof fields.text === 'string' && fields.text.length > LONG_TEXT
}

/** Rows of ids in the order of the windows, at positions from `offset` on. */
export function rowsFields(
  { model, position_embedding, architecture }: Recipe,
  ids: readonly number[][],
  offset: number,
  outputs: readonly OutputName[],
): InputEmbeddingsFields {
  return {
    input_ids: [...ids],
    ...{ model, position_embedding, architecture, position_offset: offset },
    outputs: [...outputs],
  }
}
