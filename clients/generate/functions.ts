/** The form in which a function returns an answer. */
export type Gives = 'tensors' | 'batches' | 'vectors' | 'json' | 'text'

export interface NamedFunction {
  /** As Python writes it; TypeScript writes it in camel case. */
  readonly name: string
  readonly gives: Gives
  /** Documentation beside the operation's summary and its fields. */
  readonly about?: string
}

/** The clients' functions, one an operation of openapi.yaml. Those that openapi.yaml does not have are not made. */
export const FUNCTIONS: Readonly<Record<string, NamedFunction>> = {
  'post /v1/input-embeddings': {
    name: 'input_embeddings',
    gives: 'tensors',
    about: 'A text as bytes is sent as it is, and may then be larger',
  },
  'get /v1/models/{model}/position-embeddings': { name: 'position_embeddings', gives: 'tensors' },
  'post /v1/prompt-embeds': { name: 'prompt_embeds', gives: 'json' },
  'post /v1/tokenize': {
    name: 'tokenize',
    gives: 'tensors',
    about:
      'Gives `input_ids` [n] and `token_starts` [n + 1], or `token_ranges` [n, 2], in bytes of the text; for a list of d texts ' +
      '`token_ranges` and `document_starts` [d + 1]; with `count_only` the counts alone, and `document_starts`',
  },
  'post /v1/detokenize': { name: 'detokenize', gives: 'json' },
  'post /v1/completions/render': { name: 'render_completion', gives: 'json' },
  'post /v1/chat/completions/render': { name: 'render_chat', gives: 'json' },
  'post /v1/embeddings': { name: 'embeddings', gives: 'vectors' },
  'post /v1/models/{model}/neighbors': {
    name: 'neighbors',
    gives: 'json',
    about: 'Of rows by `input_ids`, of the mean of a `text`, or of a `vector`',
  },
  'get /v1/models': { name: 'models', gives: 'json' },
  'get /v1/models/{model}': { name: 'model', gives: 'json' },
  'put /v1/models/{model}': {
    name: 'put_model',
    gives: 'json',
    about:
      'From `embedding_dim` and a seed, or from tables: of the fields, files take `encoding`, `architecture` and `position_embedding`',
  },
  'delete /v1/models/{model}': { name: 'delete_model', gives: 'json' },
  'post /v1/models/{model}/load': { name: 'load_model', gives: 'json' },
  'post /v1/models/{model}/unload': { name: 'unload_model', gives: 'json' },
  'get /v1/models/{model}/tables': {
    name: 'tables',
    gives: 'tensors',
    about: 'The answer’s header `etag` says which; a caller who has them is refused with 304',
  },
  'put /v1/models/{model}/tables': { name: 'put_tables', gives: 'json' },
  'get /v1/models/{model}/optimizer': { name: 'optimizer', gives: 'json' },
  'delete /v1/models/{model}/optimizer': { name: 'delete_optimizer', gives: 'json' },
  'post /v1/models/{model}/gradients': { name: 'gradients', gives: 'json' },
  'post /v1/models/{model}/steps': { name: 'step', gives: 'json' },
  'put /v1/models/{model}/checkpoint': { name: 'put_checkpoint', gives: 'json' },
  'post /v1/models/{model}/checkpoint': { name: 'save_checkpoint', gives: 'json' },
  'get /v1/datasets': { name: 'datasets', gives: 'json' },
  'get /v1/datasets/{dataset}': { name: 'dataset', gives: 'json' },
  'delete /v1/datasets/{dataset}': { name: 'delete_dataset', gives: 'json' },
  'get /v1/datasets/{dataset}/documents/{document}': { name: 'dataset_document', gives: 'json' },
  'get /v1/datasets/{dataset}/batches': { name: 'dataset_plan', gives: 'json' },
  'get /v1/datasets/{dataset}/batches/{batch}': { name: 'dataset_batch', gives: 'tensors' },
  'get /v1/datasets/{dataset}/batches/{batch}/documents': {
    name: 'dataset_batch_documents',
    gives: 'json',
    about: 'With `text` their texts too, trained or not',
  },
  'get /health/live': { name: 'live', gives: 'json' },
  'get /health/ready': { name: 'ready', gives: 'json' },
  'get /metrics': { name: 'metrics', gives: 'text' },
}

/** Operations without a function of the generator's, and who calls them. */
const OTHERS: readonly { readonly method?: string; readonly path: RegExp; readonly calledBy: string }[] = [
  { method: 'post', path: /^\/v1\/datasets$/, calledBy: 'each client’s own code: its body is a stream' },
  { path: /^\/v1\/datasets\/\{dataset\}\/tokens$/, calledBy: 'each client’s own code: its answer is a file' },
  {
    method: 'put',
    path: /^\/v1\/models\/\{model\}\/optimizer$/,
    calledBy: 'each client’s own code: its fields depend on its type',
  },
  {
    method: 'get',
    path: /^\/v1\/models\/\{model\}\/checkpoint$/,
    calledBy: 'each client’s own code: its answer is a file',
  },
  { path: /^\/(docs|openapi\.(json|yaml))?$/, calledBy: 'people and generators of clients' },
  { path: /^\/v2(\/|$)/, calledBy: 'clients of the Open Inference Protocol' },
]

/** Whether an operation has no function of the generator's. */
export function isCalledByOthers(method: string, path: string): boolean {
  return OTHERS.some((other) => (other.method ?? method) === method && other.path.test(path))
}

/** Fields without an argument: a client asks for bytes, which it gives as arrays, and for whole answers. */
export const NO_ARGUMENTS: readonly string[] = [
  'encoding_format',
  'Range',
  'If-Range',
  'truncate_prompt_tokens',
]
