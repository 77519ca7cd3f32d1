import { type ErrorCode, InletError } from '../../first-layer/errors.js'

export {
  type ErrorCode,
  head,
  InletError,
  quoted,
  SHOWN,
  shown,
  shownShape,
  visible,
} from '../../first-layer/errors.js'

/** Every error this service answers with: the one table behind the code, docs/errors.md and openapi.yaml. */
export const ERRORS = {
  invalid_json: { status: 400, when: 'the body is not JSON' },
  invalid_request: {
    status: 400,
    when: 'a field is missing, unknown, of the wrong type or range, or in conflict with another',
  },
  invalid_unicode: { status: 400, when: 'a lone surrogate, or bytes that are not UTF-8' },
  empty_input: { status: 400, when: '`text` or `input_ids` is empty, or has an empty element' },
  invalid_encoding: { status: 400, when: 'a compressed body does not unpack' },
  unauthorized: { status: 401, when: 'keys are on, and the request brings none that is known' },
  admin_disabled: { status: 403, when: 'an admin route, and the service has no admin key' },
  forbidden: { status: 403, when: 'an admin route, or a model, that is not for this key' },
  not_found: { status: 404, when: 'no such route' },
  model_not_found: { status: 404, when: 'no such model or encoding' },
  optimizer_not_found: { status: 404, when: 'the model has no optimizer' },
  dataset_not_found: { status: 404, when: 'no such dataset' },
  method_not_allowed: { status: 405, when: 'the route exists, not with this method; see `Allow`' },
  not_acceptable: {
    status: 406,
    when: 'no media type of `Accept` can be served; the message lists what can',
  },
  request_timeout: { status: 408, when: 'the request did not arrive in time' },
  model_exists: { status: 409, when: 'another model has this id' },
  model_in_use: { status: 409, when: 'the model belongs to the configuration: it cannot be deleted' },
  optimizer_exists: {
    status: 409,
    when: 'the model learns, or learns otherwise: its tables cannot be exchanged or unloaded meanwhile',
  },
  nothing_pending: { status: 409, when: 'a step without a gradient since the last one' },
  parts_missing: { status: 409, when: 'a step before all parts of a set of gradients have come' },
  sequence_conflict: {
    status: 409,
    when: 'a writer’s number that came with another body, or too long ago; the message has the next one',
  },
  sequence_gap: { status: 409, when: 'a writer’s number beyond the next one, which the message has' },
  recipe_mismatch: { status: 409, when: 'the recipe has another id than the `recipe_id` that it came with' },
  precondition_failed: {
    status: 412,
    when: 'the tables have changed since the version that `If-Match` names',
  },
  body_too_large: {
    status: 413,
    when: 'the body is over its limit',
  },
  response_too_large: { status: 413, when: 'the answer would be over its limit; nothing was embedded' },
  unsupported_media_type: { status: 415, when: 'media type, charset or content encoding of the body' },
  range_not_satisfiable: {
    status: 416,
    when: '`Range` begins behind the end; `Content-Range` has the length',
  },
  context_too_long: { status: 422, when: 'positions beyond the model’s; the message has both numbers' },
  not_finite: {
    status: 422,
    when: 'NaN or infinity in a gradient; the message has its place',
  },
  no_windows: { status: 422, when: 'the request gives no window, or `drop_last` leaves no batch' },
  batch_out_of_range: { status: 422, when: '`batch_index` is not below the number of batches' },
  encoding_mismatch: {
    status: 422,
    when: 'rows of a model whose encoding is not that of the dataset, or a mixture of several encodings',
  },
  token_out_of_range: { status: 422, when: 'a token id has no row in the table, or no text' },
  unsupported_combination: { status: 422, when: 'fields that are right alone and cannot be served together' },
  tokenizer_unavailable: {
    status: 422,
    when: 'text for a model without a tokenizer, which serves ids only, or one that the tokenizer gives up',
  },
  tables_unavailable: {
    status: 422,
    when: 'rows of a model whose folder gives its tokenizer alone; the message says what it lacks',
  },
  template_unavailable: { status: 422, when: 'a chat for a model that has no chat template' },
  template_unsupported: {
    status: 422,
    when: 'a chat template or a chat that is not rendered exactly here; the message names the construct',
  },
  template_failed: { status: 422, when: 'the chat template refuses the chat, or fails at it' },
  model_failed: { status: 422, when: 'the model can never be loaded; the message says why' },
  shape_mismatch: { status: 422, when: 'an uploaded tensor is not as the model’s: name, type or shape' },
  headers_too_large: { status: 431, when: 'the header is over its limit' },
  internal: { status: 500, when: 'a defect of the service; details are in its log only' },
  not_implemented: {
    status: 501,
    when: 'a part of the Open Inference Protocol that this service does not have',
  },
  loading: { status: 503, when: 'the tables are not there yet; see `Retry-After`' },
  overloaded: {
    status: 503,
    when: 'no room now for the request’s bytes or its connection; see `Retry-After`',
  },
  model_loading: { status: 503, when: 'the model’s tables are being made; see `Retry-After`' },
  dataset_indexing: {
    status: 503,
    when: 'the windows of a dataset are being computed; see `Retry-After`',
  },
  stopping: { status: 503, when: '`/health/ready` alone: the service was told to stop; see `Retry-After`' },
  insufficient_storage: {
    status: 507,
    when: 'a dataset or a checkpoint does not fit beside the others, or on the disk; the message has the numbers',
  },
  insufficient_memory: { status: 507, when: 'all tables together would exceed MAX_TABLE_BYTES' },
  deadline_exceeded: { status: 504, when: 'the request’s time was over before its answer began' },
} as const

type ServiceCodes = { readonly [Code in keyof typeof ERRORS]: true }

declare module '../../first-layer/errors.js' {
  interface ErrorCodes extends ServiceCodes {}
}

const TYPES: Readonly<Record<number, string>> = {
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  500: 'server_error',
  501: 'server_error',
  503: 'unavailable_error',
  504: 'timeout_error',
  507: 'unavailable_error',
}

/** The body of every error answer. */
export interface ErrorBody {
  readonly error: {
    readonly type: string
    readonly code: ErrorCode
    readonly message: string
    readonly param: string | null
  }
}

/** An error whose answer carries extra headers: `Retry-After`, `Allow`. */
export class HeaderedError extends InletError {
  constructor(
    code: ErrorCode,
    message: string,
    param: string | null,
    readonly headers: Readonly<Record<string, string>>,
  ) {
    super(code, message, param)
  }
}

/** The extra headers of an error's answer. */
export function headersOf(error: InletError): Readonly<Record<string, string>> {
  return error instanceof HeaderedError ? error.headers : {}
}

/** The HTTP status of an error's answer. */
export function statusOf({ code }: Pick<InletError, 'code'>): number {
  return ERRORS[code].status
}

/** The body of an error's answer. */
export function bodyOf({ code, message, param }: InletError): ErrorBody {
  return { error: { type: TYPES[ERRORS[code].status] ?? 'invalid_request_error', code, message, param } }
}

/** A wrong value in the environment; the message names the variable, the rule and the value. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
}

/** 503 `overloaded`. */
export function overloaded(message: string, headers: Readonly<Record<string, string>> = {}): InletError {
  return new HeaderedError('overloaded', `${message} Try again in 1 s.`, null, {
    'retry-after': '1',
    ...headers,
  })
}

/** 504 `deadline_exceeded` with the limit. It closes the connection: the rest of a body may never come. */
export function deadlineExceeded(limit: string): InletError {
  const message = `The answer must begin within ${limit}.`
  return new HeaderedError('deadline_exceeded', message, null, { connection: 'close' })
}

/** 503 of `/health/ready`. */
export function stopping(): InletError {
  return new HeaderedError('stopping', 'The service stops.', null, { 'retry-after': '1' })
}
