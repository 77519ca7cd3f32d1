import { ERRORS, type ErrorCode } from '../answer/error-table.js'
import { safetensors } from '../answer/formats/safetensors.js'
import { type Json, type JsonObject, ref } from './json.js'

/** An example request of the documentation, and the service's answer where that is short. */
export interface Example {
  /** Unique within its operation; the answer's example has the same name. */
  readonly name: string
  readonly summary: string
  /** Values of path and query parameters. */
  readonly parameters?: JsonObject
  readonly body?: Json
  /** Of the body. Default: JSON. */
  readonly mediaType?: string
  readonly answer?: Json
}

/** An answer that is no error. */
export interface GoodAnswer {
  /** Default: 200. */
  readonly status?: number
  readonly description: string
  readonly headers?: readonly string[]
  /** Media type → schema; empty: no body. */
  readonly content: Readonly<Record<string, JsonObject>>
}

/** One operation, as the document needs it. */
export interface Operation {
  readonly id: string
  /** Method and path: `get /v1/models`. */
  readonly route: string
  readonly tag: string
  readonly summary: string
  readonly description: string
  /** Names of its parameters beside those of the path; `{model}` of the path is `model_path`. */
  readonly parameters?: readonly string[]
  /** Media type → schema of the body. */
  readonly body?: Readonly<Record<string, JsonObject>>
  /** The answers, the usual one first. */
  readonly answers: readonly GoodAnswer[]
  /** Error codes of its own, beside those that follow from its path, its body and its answers. */
  readonly errors?: readonly ErrorCode[]
  /** Whether it is the Open Inference Protocol's, whose errors are texts. */
  readonly isInference?: boolean
  /** `open`: it needs no key. `admin`: the admin key. `learn`: that one, or a key that may let the model learn. */
  readonly access?: 'open' | 'admin' | 'learn'
  readonly examples?: readonly Example[]
}

export const JSON_TYPE = 'application/json'
export const BYTES: JsonObject = { type: 'string', format: 'binary' }

/** Safetensors, as a body or an answer. */
export const FILES: GoodAnswer['content'] = Object.fromEntries(
  safetensors.mediaTypes.map((mediaType) => [mediaType, BYTES]),
)

/** Media types of tensors beside JSON. */
export const BINARY_TENSORS: GoodAnswer['content'] = {
  ...FILES,
  'application/x-npy': BYTES,
  'application/octet-stream': BYTES,
  'application/x-pytorch': BYTES,
}

/** A body in JSON of a named schema. */
export function jsonBody(schema: string): NonNullable<Operation['body']> {
  return { [JSON_TYPE]: ref('schemas', schema) }
}

/** An answer in JSON of a named schema; `beside` are its forms in other media types. */
export function jsonAnswer(
  schema: string,
  description: string,
  headers: readonly string[] = [],
  beside: GoodAnswer['content'] = {},
): GoodAnswer {
  return { description, headers, content: { ...jsonBody(schema), ...beside } }
}

/** The answer to what is deleted. */
export const GONE: GoodAnswer = { status: 204, description: 'It is gone.', content: {} }

/** Errors of operations that use a model's tables. */
export const LEASE_ERRORS: readonly ErrorCode[] = [
  ...(['loading', 'model_loading', 'model_failed', 'insufficient_memory'] as const),
]

/** Errors of operations that read texts or ids and look their model's tokenizer up. */
export const TEXT_ERRORS: readonly ErrorCode[] = [
  ...(['empty_input', 'model_not_found', 'loading', 'model_failed', 'tokenizer_unavailable'] as const),
  ...(['token_out_of_range', 'response_too_large'] as const),
]

/** Errors of operations that render chats. */
export const TEMPLATE_ERRORS: readonly ErrorCode[] = [
  ...(['template_unavailable', 'template_unsupported', 'template_failed'] as const),
]

/** Errors of operations that look rows up, by text or by id. */
export const ROWS_ERRORS: readonly ErrorCode[] = [
  ...([...TEXT_ERRORS, ...LEASE_ERRORS, 'unsupported_combination', 'tables_unavailable'] as const),
]

/** Errors of operations that cut windows and batches. */
export const BATCH_ERRORS: readonly ErrorCode[] = ['context_too_long', 'no_windows', 'batch_out_of_range']

/** The error codes of an operation, beside those that any request can get, in the order of the table of errors. */
export function errorCodes({ route, body = {}, answers, errors = [], ...operation }: Operation): ErrorCode[] {
  const all = new Set(errors)
  const add = (is: boolean, ...codes: ErrorCode[]) => is && codes.forEach((code) => void all.add(code))
  const takesBody = Object.keys(body).length > 0
  add(takesBody, 'invalid_request', 'invalid_encoding', 'unsupported_media_type')
  add(JSON_TYPE in body, 'invalid_json', 'invalid_unicode', 'body_too_large')
  add(route.includes('{model}') && !route.startsWith('put /v1/models/{model} '), 'model_not_found')
  add(route.includes('{dataset}'), 'invalid_request', 'dataset_not_found')
  const isChosen = Object.keys(answers[0].content).length > 0 && !operation.isInference
  add(isChosen && !route.includes('/health/'), 'not_acceptable')
  add(operation.access === 'admin' || operation.access === 'learn', 'admin_disabled', 'forbidden')
  add(all.has('model_not_found'), 'forbidden')
  return (Object.keys(ERRORS) as ErrorCode[]).filter((code) => all.has(code))
}
