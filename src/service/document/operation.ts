import type { z } from 'zod'
import type { ErrorCode } from '../answer/error-table.js'
import type { Json, JsonObject } from './components.js'

/** Codes of errors, and groups of them. */
type Codes = readonly (ErrorCode | readonly ErrorCode[])[]

declare module 'fastify' {
  interface FastifySchema {
    /** The operation of the document; its words are in the `document.ts` of its feature. */
    operationId?: string
  }
}

/** A feature's words about its routes, from its `document.ts`. Only `openapi/document.ts` reads them, never the service. */
export interface FeatureDocument {
  readonly tag: string
  readonly operations: Operations
  /** Examples by operation and name, from its `examples.json`. */
  readonly examples?: Readonly<Record<string, Readonly<Record<string, Example>>>>
  /** Path and header parameters by component name: `dataset_path`. */
  readonly parameters?: Readonly<Record<string, JsonObject>>
  readonly errorAnswer?: { readonly schema: z.ZodType; readonly example: JsonObject }
}

export type Operations = Readonly<Record<string, Operation>>

export interface Operation {
  readonly summary: string
  readonly description: string
  readonly head?: readonly string[]
  /** The query, if the route reads it itself. */
  readonly query?: z.ZodObject
  readonly prefix?: string
  /** Forms of the body by media type, if they differ from the route's. Default: JSON as the route checks it, or bytes. */
  readonly body?: Readonly<Record<string, JsonObject | z.ZodType>>
  readonly answers: Readonly<Record<number, GoodAnswer>>
  /** The operation's error codes, beside those that follow from its parameters, its body, its answers and who may call it. */
  readonly errors?: Codes
}

export interface GoodAnswer {
  readonly description: string
  readonly headers?: readonly string[]
  readonly schema?: z.ZodType
}

export function answer(schema: z.ZodType, description: string, headers: readonly string[] = []): GoodAnswer {
  return { schema, description, headers }
}

export interface Example {
  readonly summary: string
  readonly parameters?: JsonObject
  readonly body?: Json
  /** The body's media type. Default: JSON. */
  readonly mediaType?: string
  readonly answer?: Json
}

/** The error of a request that the tests make. */
export const ERROR_EXAMPLE = {
  type: 'invalid_request_error',
  code: 'token_out_of_range',
  message: '`input_ids.1` must be below `vocab_size` 50257. Given: 50257',
  param: 'input_ids.1',
}

export const BYTES: JsonObject = { type: 'string', format: 'binary' }

/** Bytes of an answer after the first: of `format: binary` one generator reads the first as bytes too, where it is JSON. */
export const OTHER_BYTES: JsonObject = {
  ...{ type: 'string', contentEncoding: 'binary', contentMediaType: 'application/octet-stream' },
}

export const GONE = { 204: { description: 'It is gone.' } }

export const NUMBER = { type: 'integer', minimum: 0 }

interface MoreOfParameter {
  readonly schema?: JsonObject
  /** Codes of each operation with this parameter; not of a PUT that makes what its path names. */
  readonly errors?: readonly ErrorCode[]
}

export function inPath(name: string, description: string, more: MoreOfParameter = {}) {
  return { name, in: 'path', required: true, description, schema: { type: 'string' }, ...more }
}

export function inHead(name: string, description: string, more: MoreOfParameter = {}) {
  return { name, in: 'header', description, schema: { type: 'string' }, ...more }
}

/** Parameters of several features, beside their own `parameters`. */
export const SHARED_PARAMETERS: Readonly<Record<string, JsonObject>> = {
  model_path: inPath('model', 'Id of the model.', { errors: ['model_not_found'] }),
  if_none_match: inHead('If-None-Match', 'ETags of what the caller has: then 304.'),
}

export const LEASE_ERRORS: readonly ErrorCode[] = [
  'loading',
  'model_loading',
  'model_failed',
  'insufficient_memory',
]

export const TEXT_ERRORS: readonly ErrorCode[] = [
  ...(['empty_input', 'model_not_found', 'loading', 'model_failed', 'tokenizer_unavailable'] as const),
  ...(['token_out_of_range', 'response_too_large'] as const),
]

export const TEMPLATE_ERRORS: readonly ErrorCode[] = [
  'template_unavailable',
  'template_unsupported',
  'template_failed',
]

/** Of a chat of which a mask may be asked for. */
export const MASK_ERRORS: readonly ErrorCode[] = [
  ...TEMPLATE_ERRORS,
  'chat_refused',
  'unsupported_combination',
]

export const ROWS_ERRORS: readonly ErrorCode[] = [
  ...TEXT_ERRORS,
  ...LEASE_ERRORS,
  'unsupported_combination',
  'tables_unavailable',
]

export const BATCH_ERRORS: readonly ErrorCode[] = ['context_too_long', 'no_windows', 'batch_out_of_range']
