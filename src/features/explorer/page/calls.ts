import { Asking } from '../../../../clients/typescript/src/asking.js'
import type { Inlet } from '../../../../clients/typescript/src/index.js'

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
