/**
 * The codes of the errors that this library throws. The service adds its own to this interface; which HTTP status each
 * has, the service alone knows.
 */
export interface ErrorCodes {
  invalid_json: true
  invalid_request: true
  invalid_unicode: true
  empty_input: true
  body_too_large: true
  response_too_large: true
  context_too_long: true
  no_windows: true
  batch_out_of_range: true
  token_out_of_range: true
  unsupported_combination: true
  tokenizer_unavailable: true
  model_failed: true
  not_finite: true
  tables_unavailable: true
  template_unavailable: true
  template_unsupported: true
  template_failed: true
  chat_refused: true
  nothing_pending: true
}

export type ErrorCode = keyof ErrorCodes

/**
 * An error for the caller. `message` names the field, the rule and the value given; `param` is the field as a
 * dotted path (`text.1`, `position_embedding.base`), a header's name, or null.
 *
 * `await modelFromSeed(1.5).catch(({ param }) => param)` → `'seed'`
 */
export class InletError extends Error {
  override readonly name = 'InletError'

  constructor(
    readonly code: ErrorCode,
    message: string,
    readonly param: string | null = null,
  ) {
    super(message)
  }
}

/** Rows that a served model has in a file and that cannot be read: the model has failed. */
export class RowsUnreadable extends InletError {
  constructor(message: string) {
    super('model_failed', message, 'model')
  }
}

const SHOWN_CHARACTERS = 80
/** Tensors have up to four axes; a file's header can name thousands. */
const SHOWN_AXES = 8

/** A value that stands for something larger has its text in messages under this key. */
export const SHOWN = Symbol('shown')

/**
 * The value given, short enough for a message: `-4`, `"abc"`, `an array of 3`, `an object`. Never walks into
 * a value, so that a deep or huge one costs nothing.
 */
export function shown(value: unknown): string {
  if (typeof value === 'string') return visible(JSON.stringify(head(value)))
  if (Array.isArray(value)) return value.length === 0 ? 'an empty array' : `an array of ${value.length}`
  if (value === undefined) return 'nothing'
  if (value === null) return 'null'
  if (typeof value === 'function') return 'a function'
  if (typeof value === 'object') return (value as { readonly [SHOWN]?: string })[SHOWN] ?? 'an object'
  return String(value)
}

/** A text for a message, its characters without a picture as escapes: a byte order mark is `\ufeff`. */
export function visible(text: string): string {
  const escaped = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
  return text.toWellFormed().replace(/[\u00ad\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g, escaped)
}

/** A field's name or path, in backticks and short enough for a message. */
export function quoted(param: string): string {
  return `\`${head(param)}\``.toWellFormed()
}

/** Refuses a field: `invalidField('stride', 'must be at least 1', 0)` says "`stride` must be at least 1. Given: 0". */
export function invalidField(path: string, rule: string, given: unknown): InletError {
  return new InletError('invalid_request', `${quoted(path)} ${rule}. Given: ${shown(given)}`, path)
}

export function bodyTooLarge(limit: number, given: string | number = 'more', variable?: string): InletError {
  const most = variable === undefined ? `${limit} bytes` : `${limit} bytes (\`${variable}\`)`
  return new InletError('body_too_large', `The body must be at most ${most}. Given: ${given}`)
}

/** @param size in words: `1000 bytes`, `at least 1000 bytes` */
export function responseTooLarge(contentType: string, limit: number, size: string): InletError {
  const [mediaType] = contentType.split(';', 1)
  const message = `The answer as ${mediaType} must be at most ${limit} bytes. It would be ${size}.`
  return new InletError('response_too_large', message)
}

/** `1 window`, `2 windows`. */
export function counted(number: number, unit: string): string {
  return `${number} ${unit}${number === 1 ? '' : 's'}`
}

/** A tensor's shape, short enough for a message: `[2, 3]`. */
export function shownShape(shape: readonly number[]): string {
  const more = shape.length > SHOWN_AXES ? ', …' : ''
  return `[${shape.slice(0, SHOWN_AXES).join(', ')}${more}]`
}

/** A text, short enough for a message. */
export function head(text: string): string {
  return text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}…` : text
}
