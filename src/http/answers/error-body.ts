import type { InletError } from '../../errors.js'

/** Paths of the Open Inference Protocol: `/v2`, and all below it. */
const INFERENCE_PROTOCOL = /^\/v2(?=[/?]|$)/

/**
 * The body of an error answer, in the form that clients of the path's protocol read: `{ "error": "text" }` below `/v2`,
 * an object with type, code, message and param elsewhere.
 */
export function errorBody(error: InletError, url: string): object {
  return INFERENCE_PROTOCOL.test(url) ? { error: error.message } : error.body()
}
