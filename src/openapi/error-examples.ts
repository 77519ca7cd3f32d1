import type { InjectOptions } from 'fastify'
import type { ErrorCode } from '../errors.js'
import { writeHeader } from '../first-layer/tensors/safetensors/write-header.js'
import { OF_CITY, OF_OTHERS } from './example-datasets.js'
import { EXAMPLE_KEYS } from './example-keys.js'
import { exampleGradients } from './example-learning.js'

/**
 * The service without configuration, with models of folders, with users' keys, with an
 * admin key, or before its tables are loaded.
 */
export type ServiceState = 'ready' | 'folders' | 'keyed' | 'managed' | 'loading'

interface ErrorExample {
  readonly state: ServiceState
  readonly request: InjectOptions
}

const EMBED = '/v1/input-embeddings'
const JSON_TYPE = { 'content-type': 'application/json' }

function embed(payload: string | object, headers: Record<string, string> = JSON_TYPE): ErrorExample {
  return { state: 'ready', request: { method: 'POST', url: EMBED, headers, payload } }
}

function asAdmin(request: InjectOptions, key: string = EXAMPLE_KEYS.admin): ErrorExample {
  return {
    state: 'managed',
    request: { ...request, headers: { ...request.headers, authorization: `Bearer ${key}` } },
  }
}

/** A file of one float32 table of zeros. */
function tablesFile(name: string, shape: readonly [number, number]): Buffer {
  const header = writeHeader({}, [{ name, shape, dtype: 'float32' }])
  return Buffer.concat([header, Buffer.alloc(4 * shape[0] * shape[1])])
}

const BOOK_TABLES = '/v1/models/book/tables'
const FILE_TYPE = { 'content-type': 'application/vnd.safetensors' }

/** A step with this number. */
function step(model: string, sequence: number): ErrorExample {
  const headers = { ...JSON_TYPE, 'x-sequence': String(sequence) }
  return asAdmin({ method: 'POST', url: `/v1/models/${model}/steps`, headers, payload: {} })
}

/**
 * Error code → a request that causes it. Codes of the connection itself (`request_timeout`, `headers_too_large`)
 * and of a defect (`internal`) have no request: their messages are constants.
 */
export const ERROR_EXAMPLES: Readonly<Partial<Record<ErrorCode, ErrorExample>>> = {
  invalid_json: embed('{"text": '),
  invalid_request: embed({ text: 'Hello', context_length: 0 }),
  invalid_unicode: embed('{"text": "Hello \\ud800"}'),
  empty_input: embed({ text: ['Hello', ''] }),
  invalid_encoding: embed('not gzip at all', { ...JSON_TYPE, 'content-encoding': 'gzip' }),
  unauthorized: { state: 'keyed', request: { url: '/v1/models' } },
  admin_disabled: { state: 'ready', request: { method: 'POST', url: '/v1/models/default/unload' } },
  forbidden: asAdmin({ method: 'POST', url: '/v1/models/default/unload' }, EXAMPLE_KEYS.user),
  model_exists: asAdmin({
    method: 'PUT',
    url: '/v1/models/book',
    headers: JSON_TYPE,
    payload: { embedding_dim: 8 },
  }),
  model_in_use: asAdmin({ method: 'DELETE', url: '/v1/models/book' }),
  precondition_failed: asAdmin({
    method: 'PUT',
    url: BOOK_TABLES,
    headers: { ...FILE_TYPE, 'if-match': '"0-1f3a"' },
    payload: tablesFile('wte.weight', [6, 3]),
  }),
  optimizer_exists: asAdmin({ method: 'POST', url: '/v1/models/taught/unload' }),
  optimizer_not_found: step('book', 1),
  nothing_pending: step('fresh', 1),
  parts_missing: step('taught', 2),
  sequence_conflict: step('taught', 1),
  sequence_gap: step('taught', 3),
  tokenizer_unavailable: asAdmin({
    method: 'POST',
    url: '/v1/tokenize',
    headers: JSON_TYPE,
    payload: { model: 'rows', text: 'Hello' },
  }),
  shape_mismatch: asAdmin({
    method: 'PUT',
    url: BOOK_TABLES,
    headers: FILE_TYPE,
    payload: tablesFile('wte.weight', [3, 6]),
  }),
  not_finite: asAdmin({
    method: 'POST',
    url: '/v1/models/taught/gradients',
    headers: { ...FILE_TYPE, 'x-sequence': '2', 'x-part': '2/2' },
    payload: exampleGradients([0.5, Number.NaN, 0.125]),
  }),
  insufficient_memory: asAdmin({
    method: 'PUT',
    url: '/v1/models/large',
    headers: JSON_TYPE,
    payload: { embedding_dim: 4096 },
  }),
  not_found: { state: 'ready', request: { method: 'POST', url: '/v1/unknown' } },
  model_not_found: embed({ text: 'Hello', model: 'gpt-5' }),
  method_not_allowed: { state: 'ready', request: { url: EMBED } },
  not_acceptable: embed({ text: 'Hello' }, { ...JSON_TYPE, accept: 'text/csv' }),
  body_too_large: embed({ text: 'Hello' }, { ...JSON_TYPE, 'content-length': '10000000' }),
  response_too_large: embed({
    text: 'Hello',
    context_length: 2000,
    tail: 'pad',
    position_embedding: 'alibi',
    outputs: ['position_bias'],
  }),
  unsupported_media_type: embed('<text>Hello</text>', { 'content-type': 'application/xml' }),
  dataset_not_found: { state: 'ready', request: { url: '/v1/datasets/ds_none' } },
  recipe_mismatch: {
    state: 'ready',
    request: { url: `/v1/datasets/${OF_CITY}/batches?context_length=8&batch_size=2&recipe_id=none` },
  },
  range_not_satisfiable: {
    state: 'ready',
    request: { url: `/v1/datasets/${OF_CITY}/tokens`, headers: { range: 'bytes=1000-' } },
  },
  encoding_mismatch: {
    state: 'ready',
    request: {
      url: `/v1/datasets/${OF_OTHERS}/batches/0?context_length=4&batch_size=1&outputs=input_embeddings`,
    },
  },
  context_too_long: embed({ text: 'Hello', context_length: 1025 }),
  no_windows: embed({ text: 'Hello, world!', context_length: 4 }),
  batch_out_of_range: embed({ text: 'Hello, world!', context_length: 2, batch_size: 8, batch_index: 1 }),
  token_out_of_range: embed({ input_ids: [15496, 50257] }),
  unsupported_combination: embed({
    text: 'Hello',
    position_embedding: 'none',
    outputs: ['position_embeddings'],
  }),
  loading: { ...embed({ text: 'Hello' }), state: 'loading' },
}
