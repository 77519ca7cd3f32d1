import { type ErrorCode, InletError, RowsUnreadable } from '../../first-layer/errors.js'

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

/** An error code's HTTP status, and when it is answered. */
export type ErrorRow = readonly [status: number, when: string]

/** The errors of the service and of the first layer; those of one feature stand in its folder. */
export const COMMON_ERRORS = {
  invalid_json: [400, 'the body is not JSON'],
  invalid_request: [
    400,
    'a field is missing, unknown, of the wrong type or range, or in conflict with another',
  ],
  invalid_unicode: [400, 'a lone surrogate, or bytes that are not UTF-8'],
  empty_input: [400, '`text` or `input_ids` is empty, or has an empty element'],
  invalid_encoding: [400, 'a compressed body does not unpack'],
  unauthorized: [401, 'keys are on, and the request brings none that is known'],
  admin_disabled: [403, 'an admin route, and the service has no admin key'],
  forbidden: [403, 'an admin route, or a model, that is not for this key'],
  not_found: [404, 'no such route'],
  model_not_found: [404, 'no such model or encoding'],
  method_not_allowed: [405, 'the route exists, not with this method; see `Allow`'],
  not_acceptable: [406, 'no media type of `Accept` can be served; the message lists what can'],
  request_timeout: [408, 'the request did not arrive in time'],
  model_exists: [409, 'another model has this id'],
  nothing_pending: [409, 'a step without a gradient since the last one'],
  model_in_use: [
    409,
    'the model belongs to the configuration and cannot be deleted, or learns in another process on the same `DATA_DIR`',
  ],
  optimizer_exists: [
    409,
    'the model already has an optimizer, or another one: its tables cannot be exchanged or unloaded meanwhile',
  ],
  precondition_failed: [412, 'the tables have changed since the version that `If-Match` names'],
  body_too_large: [413, 'the body is over its limit'],
  response_too_large: [413, 'the answer would be over its limit; nothing was embedded'],
  unsupported_media_type: [415, 'media type, charset or content encoding of the body'],
  range_not_satisfiable: [416, '`Range` begins behind the end; `Content-Range` has the length'],
  context_too_long: [422, 'positions beyond the model’s; the message has both numbers'],
  no_windows: [422, 'the request gives no window, or `drop_last` leaves no batch'],
  batch_out_of_range: [422, '`batch_index` is not below the number of batches'],
  token_out_of_range: [422, 'a token id has no row in the table, or no text'],
  unsupported_combination: [422, 'fields that are right alone and cannot be served together'],
  tokenizer_unavailable: [
    422,
    'text for a model without a tokenizer, which serves ids only, or one that the tokenizer gives up',
  ],
  tables_unavailable: [
    422,
    'rows of a model whose folder gives its tokenizer alone; the message says what it lacks',
  ],
  template_unavailable: [422, 'a chat for a model that has no chat template'],
  template_unsupported: [
    422,
    'a chat template or a chat that is not rendered exactly here; the message names the construct',
  ],
  template_failed: [422, 'the chat template refuses the chat, or fails at it'],
  chat_refused: [422, 'a chat of an upload has no exact loss mask; the message says which line, and why'],
  model_failed: [422, 'the model can never be loaded; the message says why'],
  shape_mismatch: [422, 'an uploaded tensor is not as the model’s: name, type or shape'],
  not_finite: [422, 'NaN or infinity in a gradient; the message has its place'],
  headers_too_large: [431, 'the header is over its limit'],
  internal: [500, 'a defect of the service; details are in its log only'],
  loading: [503, 'the tables are not there yet; see `Retry-After`'],
  overloaded: [503, 'no room now for the request’s bytes or its connection; see `Retry-After`'],
  model_loading: [503, 'the model’s tables are being made; see `Retry-After`'],
  not_live: [
    503,
    'health routes alone: the first thread, which the others need, has not answered for ten seconds',
  ],
  stopping: [503, '`/health/ready` alone: the service was told to stop; see `Retry-After`'],
  insufficient_storage: [
    507,
    'a dataset or a checkpoint does not fit beside the others, or on the disk; the message has the numbers',
  ],
  insufficient_memory: [507, 'all tables together would exceed MAX_TABLE_BYTES'],
  deadline_exceeded: [504, 'the request’s time was over before its answer began'],
} as const satisfies Readonly<Record<string, ErrorRow>>

declare module '../../first-layer/errors.js' {
  interface ErrorCodes extends Readonly<Record<keyof typeof COMMON_ERRORS, true>> {}
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

export interface ErrorBody {
  readonly error: {
    readonly type: string
    readonly code: ErrorCode
    readonly message: string
    readonly param: string | null
  }
}

/** An error whose answer carries extra headers, as `Retry-After`, or that has a status of its own. */
export class HeaderedError extends InletError {
  /** @param status default: that of the code in {@link COMMON_ERRORS} */
  constructor(
    code: ErrorCode,
    message: string,
    param: string | null,
    readonly headers: Readonly<Record<string, string>> = {},
    readonly status?: number,
  ) {
    super(code, message, param)
  }
}

/** The class of the errors of a feature, by its own table of codes. */
export function errorsOf<Code extends ErrorCode>(rows: Readonly<Record<Code, ErrorRow>>) {
  return class extends HeaderedError {
    constructor(
      code: Code,
      message: string,
      param: string | null = null,
      headers?: Readonly<Record<string, string>>,
    ) {
      super(code, message, param, headers, rows[code][0])
    }
  }
}

export function headersOf(error: InletError): Readonly<Record<string, string>> {
  return error instanceof HeaderedError ? error.headers : {}
}

export function statusOf(error: InletError): number {
  if (error instanceof RowsUnreadable) return 503
  const status = error instanceof HeaderedError ? error.status : undefined
  return status ?? (COMMON_ERRORS as Readonly<Record<string, ErrorRow>>)[error.code]?.[0] ?? 500
}

/** The group of an error in its answer's `type`. */
export function typeOf(status: number): string {
  return TYPES[status] ?? 'invalid_request_error'
}

export function bodyOf(error: InletError): ErrorBody {
  const { code, message, param } = error
  return { error: { type: typeOf(statusOf(error)), code, message, param } }
}

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

/** 503 of `/health/live` in the other threads. */
export function notLive(): InletError {
  return new HeaderedError('not_live', 'The first thread does not answer.', null, { 'retry-after': '1' })
}
