import type { ErrorCode } from '../errors.js'
import type { ServiceState } from './error-examples.js'
import { type Json, type JsonObject, ref } from './json.js'

/** An example request of the documentation. The document shows the service's real answer to it. */
export interface Example {
  /** Unique within its operation; the answer's example has the same name. */
  readonly name: string
  readonly summary: string
  /** Values of path and query parameters. */
  readonly parameters?: Readonly<Record<string, string>>
  /** The body and its media type; an object is sent as JSON. */
  readonly body?: { readonly mediaType: string; readonly value: Json }
}

/** An example whose body is JSON. */
export function jsonExample(
  name: string,
  summary: string,
  value: object,
  parameters?: Example['parameters'],
): Example {
  return {
    ...{ name, summary, body: { mediaType: 'application/json', value: value as Json } },
    ...(parameters && { parameters }),
  }
}

/** An answer that is no error. */
export interface GoodAnswer {
  /** Default: 200. */
  readonly status?: number
  readonly description: string
  readonly headers: readonly string[]
  /** Media type → schema; empty: no body. */
  readonly content: Readonly<Record<string, JsonObject>>
}

/** An answer in JSON of a named schema; `beside` are its forms in other media types. */
export function jsonAnswer(
  schema: string,
  description: string,
  headers: readonly string[] = [],
  beside: GoodAnswer['content'] = {},
): GoodAnswer {
  return { description, headers, content: { 'application/json': ref('schemas', schema), ...beside } }
}

/** One operation, as the document needs it. */
export interface Operation {
  readonly id: string
  readonly method: 'get' | 'post' | 'put' | 'delete'
  readonly path: string
  readonly tag: string
  readonly summary: string
  readonly description: string
  /** Names of its parameters; `{model}` of the path is `model_path`. */
  readonly parameters?: readonly string[]
  /** Media type → schema of the body. */
  readonly body?: Readonly<Record<string, JsonObject>>
  readonly answer: GoodAnswer
  /** Answers under other statuses, which are no errors. */
  readonly otherAnswers?: readonly GoodAnswer[]
  /** Error codes that the operation can answer with, beside those of every operation. */
  readonly errors: readonly ErrorCode[]
  /** Whether it is the Open Inference Protocol's, whose errors are texts. */
  readonly isInference?: boolean
  /** Whether the operation needs no key even where the service has keys. */
  readonly open?: boolean
  /** Whether the operation needs the admin key. */
  readonly admin?: boolean
  /** Whether it needs the admin key, or one that may let the model learn. */
  readonly learn?: boolean
  readonly examples: readonly Example[]
  /** The service that answers the examples. Default: `ready`. */
  readonly examplesBy?: ServiceState
}
