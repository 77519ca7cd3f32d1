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
