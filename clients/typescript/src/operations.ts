// Made from openapi.yaml by clients/generate. Do not edit.
import { Asking, type CallOptions } from './asking.js'
import type { Embeddings, Tensors } from './tensors.js'
import type {
  DetokenizeAnswer,
  DetokenizeFields,
  EmbeddingsFields,
  Health,
  InputEmbeddingsFields,
  Model,
  ModelFields,
  ModelList,
  NeighborsAnswer,
  NeighborsFields,
  PositionEmbeddingsFields,
  PutModelFields,
  TablesExchanged,
  TokenizeFields,
} from './types.js'
import type { TensorFile } from './values.js'

/** One method for each operation of the service. */
export abstract class Operations extends Asking {
  /** Text or ids in, input embeddings out. Text → token ids → windows → token rows (+ position rows). The fields stand in the JSON body or, beside raw text, in the query string; a query string beside a JSON body is refused. Fields without effect are accepted. The answer’s form is chosen by `Accept`. */
  inputEmbeddings(fields: InputEmbeddingsFields, options: CallOptions = {}): Promise<Tensors> {
    return this.tensors({ method: 'POST', path: '/v1/input-embeddings', body: fields, raw: 'text' }, options)
  }

  /** The tensors of a position scheme alone. What a scheme gives for T = `context_length` positions from `position_offset` on. Options of the scheme are written with dots: `position_embedding=rope&position_embedding.head_dim=8`. */
  positionEmbeddings(model: string, fields: PositionEmbeddingsFields, options: CallOptions = {}): Promise<Tensors> {
    return this.tensors({ method: 'GET', path: `/v1/models/${encodeURIComponent(model)}/position-embeddings`, query: fields }, options)
  }

  /** Text to token ids, as tiktoken. Ids, bytes and byte offsets of each token, by a model’s encoding or by any other. As safetensors: `input_ids` [n] and `token_starts` [n + 1], the byte offsets at which tokens begin and the last one ends, both int32; the metadata names the `model`, or the `encoding` where that was asked for. `count_only` is answered as JSON alone: where `Accept` leaves that out, 406. */
  tokenize(fields: TokenizeFields, options: CallOptions = {}): Promise<Tensors> {
    return this.tensors({ method: 'POST', path: '/v1/tokenize', body: fields }, options)
  }

  /** Token ids to text. Bytes that are not UTF-8 come as U+FFFD, and `lossy` says so. */
  detokenize(fields: DetokenizeFields, options: CallOptions = {}): Promise<DetokenizeAnswer> {
    return this.json({ method: 'POST', path: '/v1/detokenize', body: fields }, options)
  }

  /** An embedding of each text, by a static model. OpenAI’s contract, for folders in Model2Vec’s or sentence-transformers’ `StaticEmbedding` layout: the mean of a text’s rows, as the library of the layout computes it. The fields of the answer that OpenAI’s has not are passed over by its clients. Ids are taken as they are, and cut to the model’s `max_length` as those of a text are. */
  embeddings(fields: EmbeddingsFields, options: CallOptions = {}): Promise<Embeddings> {
    return this.vectors({ method: 'POST', path: '/v1/embeddings', body: fields }, options)
  }

  /** The rows nearest to given ones. Exact: the whole table is searched, scores are float64, rows that are equally near come by id. A query is a row of the table, the mean of rows (a list of ids, a text), or numbers; a row is among its own neighbours. Rows with numbers that are not finite are left out. */
  neighbors(model: string, fields: NeighborsFields = {}, options: CallOptions = {}): Promise<NeighborsAnswer> {
    return this.json({ method: 'POST', path: `/v1/models/${encodeURIComponent(model)}/neighbors`, body: fields }, options)
  }

  /** The models. Every model with its sizes, its tables’ origin and the limits of the service. */
  models(options: CallOptions = {}): Promise<ModelList> {
    return this.json({ method: 'GET', path: '/v1/models' }, options)
  }

  /** One model. A model with its sizes, its tables’ origin and the limits of the service. */
  model(model: string, options: CallOptions = {}): Promise<Model> {
    return this.json({ method: 'GET', path: `/v1/models/${encodeURIComponent(model)}` }, options)
  }

  /** Make a model. From a card as JSON, whose tables a seed draws, or from tables as safetensors: `wte.weight` [V, C], `wpe.weight` [P, C], `wtt.weight` [types, C], `norm.weight` and `norm.bias` [C], `position.NAME`, all of one type, F32, F16 or BF16. In a file, `encoding`, `architecture` and `position_embedding` stand as strings in `__metadata__`. */
  putModel(model: string, fields: PutModelFields = {}, tensors?: TensorFile, options: CallOptions = {}): Promise<Model> {
    return this.json({ method: 'PUT', path: `/v1/models/${encodeURIComponent(model)}`, body: fields, tensors, repeat: false }, options)
  }

  /** Delete a model. One that a request has made. What runs on it finishes. */
  deleteModel(model: string, options: CallOptions = {}): Promise<void> {
    return this.json({ method: 'DELETE', path: `/v1/models/${encodeURIComponent(model)}`, repeat: false }, options)
  }

  /** Load a model. Makes its tables where they are not there. */
  loadModel(model: string, options: CallOptions = {}): Promise<Model> {
    return this.json({ method: 'POST', path: `/v1/models/${encodeURIComponent(model)}/load`, repeat: false }, options)
  }

  /** Unload a model. Lets its tables go; uploaded ones are gone for good. */
  unloadModel(model: string, options: CallOptions = {}): Promise<Model> {
    return this.json({ method: 'POST', path: `/v1/models/${encodeURIComponent(model)}/unload`, repeat: false }, options)
  }

  /** Read a model’s tables. Every table as one safetensors file, which `PUT` takes again. */
  tables(model: string, conditions: { if_none_match?: string } = {}, options: CallOptions = {}): Promise<Tensors> {
    return this.tensors({ method: 'GET', path: `/v1/models/${encodeURIComponent(model)}/tables`, headers: { 'If-None-Match': conditions.if_none_match } }, options)
  }

  /** Exchange a model’s tables. One table or more, in the shapes that they have. All take their place at once when the last byte has come; requests that run finish on the tables that they began with. */
  putTables(model: string, tensors: TensorFile, conditions: { if_match?: string } = {}, options: CallOptions = {}): Promise<TablesExchanged> {
    return this.json({ method: 'PUT', path: `/v1/models/${encodeURIComponent(model)}/tables`, tensors, headers: { 'If-Match': conditions.if_match }, repeat: false }, options)
  }

  /** The process answers, and all its threads. The process answers, and all its threads */
  live(options: CallOptions = {}): Promise<Health> {
    return this.json({ method: 'GET', path: '/health/live' }, options)
  }

  /** The tables are there, and the service does not stop. The tables are there, and the service does not stop */
  ready(options: CallOptions = {}): Promise<Health> {
    return this.json({ method: 'GET', path: '/health/ready' }, options)
  }

  /** Metrics for Prometheus. Counters and histograms of requests, tokens, windows, bytes and errors; memory and event loop. */
  metrics(options: CallOptions = {}): Promise<string> {
    return this.text({ method: 'GET', path: '/metrics' }, options)
  }
}
