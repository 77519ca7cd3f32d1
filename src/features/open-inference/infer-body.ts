import type { FastifyRequest } from 'fastify'
import { InletError, shown } from '../../service/answer/error-table.js'
import { parsedBody } from '../../service/request/body/json-body.js'
import { readBody } from '../../service/request/body/read-body.js'
import type { LimitVariables } from '../../service/request/limit-variables.js'
import { type InferenceRequest, inferenceRequest } from './wire/request.js'

/** The header with the number of a body's bytes that are JSON; the bytes of tensors follow. */
export const JSON_LENGTH = 'inference-header-content-length'
const MAX_INT32 = 0x7fffffff

/** An inference request's body. */
export interface InferBody {
  readonly fields: InferenceRequest
  /** The bytes behind the JSON. */
  readonly binary: Buffer
  /** Bytes of the whole body, which the request holds. */
  readonly length: number
}

/**
 * Bytes of JSON at the beginning of the body, by the request's header; 0: the body is a text without any JSON;
 * undefined: all of it is JSON.
 *
 * @throws InletError `invalid_request` for what is no length, or longer than the body
 */
export function jsonLength({ headers }: FastifyRequest): number | undefined {
  const given = headers[JSON_LENGTH]
  if (given === undefined) return undefined
  const length = /^\d{1,10}$/.test(String(given)) ? Number(given) : Number.NaN
  if (!(length <= MAX_INT32)) throw invalidLength(`be bytes, from 0 to ${MAX_INT32}`, given)
  const isPacked = headers['content-encoding'] !== undefined
  if (!isPacked && length > Number(headers['content-length'] ?? MAX_INT32)) {
    throw invalidLength(`be at most the body’s length, ${headers['content-length']}`, given)
  }
  return length
}

/**
 * Reads a body: JSON, and bytes of tensors behind it where the request's header gives the JSON's length.
 *
 * @param jsonBytes what {@link jsonLength} gives, above 0
 * @throws InletError as `jsonBody`
 */
export async function inferBody(
  request: FastifyRequest,
  jsonBytes: number | undefined,
  limits: LimitVariables,
): Promise<InferBody> {
  const limit = limits.MAX_JSON_BODY_BYTES
  if (jsonBytes === undefined) {
    const body = await readBody(request, limit)
    return {
      fields: await parsedBody(request, body, inferenceRequest, limits),
      binary: NONE,
      length: body.length,
    }
  }
  if (jsonBytes > limit) {
    throw new InletError(
      'body_too_large',
      `The JSON of the body must be at most ${limit} bytes. Given: ${jsonBytes}`,
    )
  }
  const body = await readBody(request, limits.MAX_BODY_BYTES)
  if (jsonBytes > body.length) throw invalidLength(`be at most the body’s length, ${body.length}`, jsonBytes)
  const json = body.subarray(0, jsonBytes)
  const fields = await parsedBody(request, json, inferenceRequest, limits)
  return { fields, binary: body.subarray(jsonBytes), length: body.length }
}

const NONE = Buffer.alloc(0)

function invalidLength(rule: string, given: unknown): InletError {
  const message = `\`Inference-Header-Content-Length\` must ${rule}. Given: ${shown(given)}`
  return new InletError('invalid_request', message, JSON_LENGTH)
}
