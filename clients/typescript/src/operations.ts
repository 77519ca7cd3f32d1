// Made from openapi.yaml by clients/generate. Do not edit.
import { Asking, type CallOptions } from './asking.js'
import type { Embeddings, Tensors } from './tensors.js'
import type {
  Dataset,
  DatasetBatchDocuments,
  DatasetBatchDocumentsFields,
  DatasetBatchFields,
  DatasetDocument,
  DatasetList,
  DatasetPlan,
  DatasetPlanFields,
  DatasetsFields,
  DetokenizeAnswer,
  DetokenizeFields,
  EmbeddingsFields,
  GradientsAnswer,
  GradientsFields,
  Health,
  InputEmbeddingsFields,
  Model,
  ModelList,
  NeighborsAnswer,
  NeighborsFields,
  Optimizer,
  PositionEmbeddingsFields,
  PromptEmbedsAnswer,
  PromptEmbedsFields,
  PutModelFields,
  RenderChatFields,
  RenderCompletionFields,
  RenderedPrompt,
  RenderedPrompts,
  SavedCheckpoint,
  StepAnswer,
  StepFields,
  TablesExchanged,
  TokenizeFields,
} from './types.js'
import { newKey, type TensorFile } from './values.js'

/** One method for each operation of the service. */
export abstract class Operations extends Asking {
  /** Text or ids in, input embeddings out. A text as bytes is sent as it is, and may then be larger */
  inputEmbeddings(fields: InputEmbeddingsFields, options: CallOptions = {}): Promise<Tensors> {
    return this.tensors({ method: 'POST', path: '/v1/input-embeddings', body: fields, raw: 'text' }, options)
  }

  /** The tensors of a position scheme alone */
  positionEmbeddings(model: string, fields: PositionEmbeddingsFields, options: CallOptions = {}): Promise<Tensors> {
    return this.tensors({ method: 'GET', path: `/v1/models/${encodeURIComponent(model)}/position-embeddings`, query: fields }, options)
  }

  /** An embedding of each text, by a static model */
  embeddings(fields: EmbeddingsFields, options: CallOptions = {}): Promise<Embeddings> {
    return this.vectors({ method: 'POST', path: '/v1/embeddings', body: fields }, options)
  }

  /** The rows of prompts, as model servers take them */
  promptEmbeds(fields: PromptEmbedsFields = {}, options: CallOptions = {}): Promise<PromptEmbedsAnswer> {
    return this.json({ method: 'POST', path: '/v1/prompt-embeds', body: fields }, options)
  }

  /** The rows nearest to given ones. Of rows by `input_ids`, of the mean of a `text`, or of a `vector` */
  neighbors(model: string, fields: NeighborsFields = {}, options: CallOptions = {}): Promise<NeighborsAnswer> {
    return this.json({ method: 'POST', path: `/v1/models/${encodeURIComponent(model)}/neighbors`, body: fields }, options)
  }

  /** Text to token ids, as tiktoken. Gives `input_ids` [n] and `token_starts` [n + 1], or `token_ranges` [n, 2], in bytes of the text; for a list of d texts `token_ranges` and `document_starts` [d + 1]; with `count_only` the counts alone, and `document_starts` */
  tokenize(fields: TokenizeFields = {}, options: CallOptions = {}): Promise<Tensors> {
    return this.tensors({ method: 'POST', path: '/v1/tokenize', body: fields }, options)
  }

  /** Token ids to text */
  detokenize(fields: DetokenizeFields, options: CallOptions = {}): Promise<DetokenizeAnswer> {
    return this.json({ method: 'POST', path: '/v1/detokenize', body: fields }, options)
  }

  /** The token ids of a completion’s prompts, for those who route before an engine does */
  renderCompletion(fields: RenderCompletionFields, options: CallOptions = {}): Promise<RenderedPrompts> {
    return this.json({ method: 'POST', path: '/v1/completions/render', body: fields }, options)
  }

  /** The token ids of a chat by the model’s template */
  renderChat(fields: RenderChatFields, options: CallOptions = {}): Promise<RenderedPrompt> {
    return this.json({ method: 'POST', path: '/v1/chat/completions/render', body: fields }, options)
  }

  /** The datasets */
  datasets(fields: DatasetsFields = {}, options: CallOptions = {}): Promise<DatasetList> {
    return this.json({ method: 'GET', path: '/v1/datasets', query: fields }, options)
  }

  /** One dataset */
  dataset(dataset: string, options: CallOptions = {}): Promise<Dataset> {
    return this.json({ method: 'GET', path: `/v1/datasets/${encodeURIComponent(dataset)}` }, options)
  }

  /** Delete a dataset */
  deleteDataset(dataset: string, options: CallOptions = {}): Promise<void> {
    return this.json({ method: 'DELETE', path: `/v1/datasets/${encodeURIComponent(dataset)}`, repeat: false }, options)
  }

  /** One document */
  datasetDocument(dataset: string, document: string, options: CallOptions = {}): Promise<DatasetDocument> {
    return this.json({ method: 'GET', path: `/v1/datasets/${encodeURIComponent(dataset)}/documents/${encodeURIComponent(document)}` }, options)
  }

  /** What a recipe will give */
  datasetPlan(dataset: string, fields: DatasetPlanFields, options: CallOptions = {}): Promise<DatasetPlan> {
    return this.json({ method: 'GET', path: `/v1/datasets/${encodeURIComponent(dataset)}/batches`, query: fields }, options)
  }

  /** A batch of a dataset */
  datasetBatch(dataset: string, batch: string, fields: DatasetBatchFields, conditions: { if_none_match?: string } = {}, options: CallOptions = {}): Promise<Tensors> {
    return this.tensors({ method: 'GET', path: `/v1/datasets/${encodeURIComponent(dataset)}/batches/${encodeURIComponent(batch)}`, query: fields, headers: { 'If-None-Match': conditions.if_none_match } }, options)
  }

  /** What stands in a batch. With `text` their texts too, trained or not */
  datasetBatchDocuments(dataset: string, batch: string, fields: DatasetBatchDocumentsFields, options: CallOptions = {}): Promise<DatasetBatchDocuments> {
    return this.json({ method: 'GET', path: `/v1/datasets/${encodeURIComponent(dataset)}/batches/${encodeURIComponent(batch)}/documents`, query: fields }, options)
  }

  /** The models */
  models(options: CallOptions = {}): Promise<ModelList> {
    return this.json({ method: 'GET', path: '/v1/models' }, options)
  }

  /** One model */
  model(model: string, options: CallOptions = {}): Promise<Model> {
    return this.json({ method: 'GET', path: `/v1/models/${encodeURIComponent(model)}` }, options)
  }

  /** Make a model. From `embedding_dim` and a seed, or from tables: of the fields, files take `encoding`, `architecture` and `position_embedding` */
  putModel(model: string, fields: PutModelFields = {}, tensors?: TensorFile, options: CallOptions = {}): Promise<Model> {
    return this.json({ method: 'PUT', path: `/v1/models/${encodeURIComponent(model)}`, body: fields, tensors, repeat: false }, options)
  }

  /** Delete a model */
  deleteModel(model: string, options: CallOptions = {}): Promise<void> {
    return this.json({ method: 'DELETE', path: `/v1/models/${encodeURIComponent(model)}`, repeat: false }, options)
  }

  /** Read a model’s tables. The answer’s header `etag` says which; a caller who has them is refused with 304 */
  tables(model: string, conditions: { if_none_match?: string } = {}, options: CallOptions = {}): Promise<Tensors> {
    return this.tensors({ method: 'GET', path: `/v1/models/${encodeURIComponent(model)}/tables`, headers: { 'If-None-Match': conditions.if_none_match } }, options)
  }

  /** Exchange a model’s tables */
  putTables(model: string, tensors: TensorFile, conditions: { if_match?: string } = {}, options: CallOptions = {}): Promise<TablesExchanged> {
    return this.json({ method: 'PUT', path: `/v1/models/${encodeURIComponent(model)}/tables`, tensors, headers: { 'If-Match': conditions.if_match }, repeat: false }, options)
  }

  /** Load a model */
  loadModel(model: string, options: CallOptions = {}): Promise<Model> {
    return this.json({ method: 'POST', path: `/v1/models/${encodeURIComponent(model)}/load`, repeat: false }, options)
  }

  /** Unload a model */
  unloadModel(model: string, options: CallOptions = {}): Promise<Model> {
    return this.json({ method: 'POST', path: `/v1/models/${encodeURIComponent(model)}/unload`, repeat: false }, options)
  }

  /** Describe an optimizer */
  optimizer(model: string, options: CallOptions = {}): Promise<Optimizer> {
    return this.json({ method: 'GET', path: `/v1/models/${encodeURIComponent(model)}/optimizer` }, options)
  }

  /** End learning */
  deleteOptimizer(model: string, options: CallOptions = {}): Promise<void> {
    return this.json({ method: 'DELETE', path: `/v1/models/${encodeURIComponent(model)}/optimizer`, repeat: false }, options)
  }

  /** Add gradients */
  gradients(model: string, tensors: TensorFile, fields: GradientsFields = {}, conditions: { idempotency_key?: string; if_match?: string } = {}, options: CallOptions = {}): Promise<GradientsAnswer> {
    return this.json({ method: 'POST', path: `/v1/models/${encodeURIComponent(model)}/gradients`, query: fields, tensors, headers: { 'Idempotency-Key': conditions.idempotency_key ?? newKey(), 'If-Match': conditions.if_match } }, options)
  }

  /** Make a step */
  step(model: string, fields: StepFields = {}, conditions: { idempotency_key?: string; if_match?: string } = {}, options: CallOptions = {}): Promise<StepAnswer> {
    return this.json({ method: 'POST', path: `/v1/models/${encodeURIComponent(model)}/steps`, body: fields, headers: { 'Idempotency-Key': conditions.idempotency_key ?? newKey(), 'If-Match': conditions.if_match } }, options)
  }

  /** Go on from a checkpoint */
  putCheckpoint(model: string, tensors: TensorFile, options: CallOptions = {}): Promise<Optimizer> {
    return this.json({ method: 'PUT', path: `/v1/models/${encodeURIComponent(model)}/checkpoint`, tensors, repeat: false }, options)
  }

  /** Write a checkpoint to the disk */
  saveCheckpoint(model: string, options: CallOptions = {}): Promise<SavedCheckpoint> {
    return this.json({ method: 'POST', path: `/v1/models/${encodeURIComponent(model)}/checkpoint`, repeat: false }, options)
  }

  /** The process answers */
  live(options: CallOptions = {}): Promise<Health> {
    return this.json({ method: 'GET', path: '/health/live' }, options)
  }

  /** The tables are there, and the service does not stop */
  ready(options: CallOptions = {}): Promise<Health> {
    return this.json({ method: 'GET', path: '/health/ready' }, options)
  }

  /** Metrics for Prometheus */
  metrics(options: CallOptions = {}): Promise<string> {
    return this.text({ method: 'GET', path: '/metrics' }, options)
  }
}
