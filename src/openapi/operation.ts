import type { ErrorCode } from '../errors.js'
import type { Json, JsonObject } from './json.js'

/** A request of the documentation, which the service answers as the document says. */
export interface Example {
  /** Unique within its operation; the answer's example has the same name. */
  readonly name: string
  readonly summary: string
  /** Values of path and query parameters. */
  readonly parameters?: Readonly<Record<string, string>>
  /** Bodies by media type: an object is JSON. */
  readonly body?: { readonly mediaType: string; readonly value: Json }
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
  /** Codes that it can answer with, beside those of every operation. */
  readonly errors: readonly ErrorCode[]
  /** Answers without a key even where keys are on. */
  readonly open?: boolean
  /** Needs the admin key. */
  readonly admin?: boolean
  readonly examples: readonly Example[]
}
