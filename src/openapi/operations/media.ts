import type { ErrorCode } from '../../errors.js'
import type { JsonObject } from '../json.js'

export const BYTES: JsonObject = { type: 'string', format: 'binary' }

export const SAFETENSORS: Readonly<Record<string, JsonObject>> = {
  'application/vnd.safetensors': BYTES,
  'application/x-safetensors': BYTES,
}

/** Media types of tensors beside JSON. */
export const BINARY_TENSORS: Readonly<Record<string, JsonObject>> = {
  ...SAFETENSORS,
  'application/x-npy': BYTES,
  'application/octet-stream': BYTES,
  'application/x-pytorch': BYTES,
}

/** Error codes of all operations with a body. */
export const BODY_ERRORS: readonly ErrorCode[] = [
  ...(['invalid_request', 'invalid_unicode', 'empty_input', 'invalid_encoding'] as const),
  ...(['body_too_large', 'unsupported_media_type'] as const),
]
