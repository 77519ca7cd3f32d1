import type { ErrorCode } from '../../errors.js'

/** Of operations that read JSON. */
export const JSON_ERRORS: readonly ErrorCode[] = [
  ...(['invalid_json', 'invalid_request', 'invalid_unicode', 'invalid_encoding'] as const),
  ...(['body_too_large', 'unsupported_media_type'] as const),
]

/** Of operations that read texts or ids as JSON and look their model's tokenizer up. */
export const TEXT_ERRORS: readonly ErrorCode[] = [
  ...([...JSON_ERRORS, 'empty_input', 'not_acceptable'] as const),
  ...(['model_not_found', 'loading', 'model_failed', 'tokenizer_unavailable'] as const),
]

/** Of operations that render chats. */
export const TEMPLATE_ERRORS: readonly ErrorCode[] = [
  ...(['template_unavailable', 'template_unsupported', 'template_failed'] as const),
]

/** Of operations that use a model's tables. */
export const LEASE_ERRORS: readonly ErrorCode[] = [
  ...(['model_not_found', 'loading', 'model_loading', 'model_failed', 'insufficient_memory'] as const),
]

/** Of operations that look rows up, by text or by id. */
export const ROWS_ERRORS: readonly ErrorCode[] = [
  ...TEXT_ERRORS,
  ...LEASE_ERRORS,
  ...(['token_out_of_range', 'unsupported_combination'] as const),
]

/** Of operations that cut windows and batches. */
export const BATCH_ERRORS: readonly ErrorCode[] = [
  ...(['context_too_long', 'no_windows', 'batch_out_of_range', 'response_too_large'] as const),
]
