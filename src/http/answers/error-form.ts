import { bodyOf, type InletError } from '../../errors.js'

/** Paths of the Open Inference Protocol: `/v2`, and all below it. */
const INFERENCE_PROTOCOL = /^\/v2(?=[/?]|$)/

/** An error answer's body and its `Content-Type`. */
export interface ErrorForm {
  readonly body: object
  readonly contentType: string
}

/**
 * An error in the form that clients of the path's protocol read: below `/v2` as `{ "error": "text" }`, elsewhere with
 * type, code, message and param. KServe's client reads an error only where its type is `application/json` to the letter.
 */
export function errorForm(error: InletError, url: string): ErrorForm {
  if (INFERENCE_PROTOCOL.test(url)) {
    return { body: { error: error.message }, contentType: 'application/json' }
  }
  return { body: bodyOf(error), contentType: 'application/json; charset=utf-8' }
}
