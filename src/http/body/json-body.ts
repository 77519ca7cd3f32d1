import type { FastifyRequest } from 'fastify'
import type { z } from 'zod'
import { InletError, shown } from '../../errors.js'
import { type Claim, UNBOUNDED } from '../../load/claim.js'
import { heavy } from '../../load/heavy.js'
import type { LongFields } from '../../wire/json/long-fields.js'
import { LongText } from '../../wire/json/long-text.js'
import { LongTexts } from '../../wire/json/long-texts.js'
import { readJson } from '../../wire/json/read-json.js'
import { parse } from '../../wire/schemas/issue.js'
import type { Limits } from '../limits.js'
import { SMALL_BODY } from './body-buffer.js'
import { readBody } from './read-body.js'

/** The fewest bytes of JSON that one document can take: `"a",`. */
const DOCUMENT_BYTES = 4

/** The schema of a body, and the fields of it that may be as long as the body. */
export interface BodyShape<S extends z.ZodType> {
  readonly schema: S
  readonly longFields: LongFields
}

export type JsonLimits = Pick<Limits, 'MAX_JSON_BODY_BYTES' | 'MAX_DOCUMENTS'>

/**
 * Reads a JSON body and checks it with its schema. All fields must be in the body: a query string is refused.
 *
 * JSON.parse reads a small body at once. A large body is read in short turns, and its long fields have other
 * types (`wire/json/long-fields.ts`). Both ways give the same meaning and the same errors: where a small body is
 * wrong, the reader of large bodies reads it too, and reports the error that comes first in the text.
 *
 * @throws InletError `body_too_large`, `invalid_encoding`, `invalid_unicode`, `invalid_json`, `invalid_request`,
 * `empty_input`, `overloaded`
 */
export async function jsonBody<S extends z.ZodType>(
  request: FastifyRequest,
  shape: BodyShape<S>,
  limits: JsonLimits,
): Promise<z.output<S>> {
  const bytes = await readBody(request, limits.MAX_JSON_BODY_BYTES)
  const small = parsedBody(request, bytes, shape, limits)
  if (!(small instanceof Promise)) return small
  const body = await small
  if (isLarge(bytes, limits) && !holdsText(body)) request.claim.give(bytes.length)
  return body
}

/**
 * Checks JSON with its schema, as {@link jsonBody} does, once it has been read. Its texts may refer to the bytes. A small
 * body that is right is there at once.
 */
export function parsedBody<S extends z.ZodType>(
  request: FastifyRequest,
  bytes: Buffer,
  shape: BodyShape<S>,
  limits: Pick<JsonLimits, 'MAX_DOCUMENTS'>,
): z.output<S> | Promise<z.output<S>> {
  const { MAX_DOCUMENTS } = limits
  const inSteps = (claim: Claim) => readJson(bytes, shape.longFields, MAX_DOCUMENTS, claim)
  const checked = (value: unknown) => {
    refuseQuery(request)
    return parse(shape.schema, value)
  }
  if (isLarge(bytes, limits)) return heavy(request.claim, () => inSteps(request.claim)).then(checked)
  const value = parsed(bytes)
  if (value === undefined) return inSteps(UNBOUNDED).then(checked) // which says where it is wrong
  try {
    return checked(value)
  } catch (error) {
    return inSteps(UNBOUNDED).then(() => Promise.reject(error))
  }
}

function isLarge({ length }: Buffer, { MAX_DOCUMENTS }: Pick<JsonLimits, 'MAX_DOCUMENTS'>): boolean {
  return length > Math.min(SMALL_BODY, DOCUMENT_BYTES * MAX_DOCUMENTS)
}

/** What JSON.parse gives; undefined where the body is not JSON. */
function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'))
  } catch {
    return undefined
  }
}

/** Whether texts still refer to the body's bytes. If so, whoever tokenizes them gives those bytes back. */
function holdsText(body: unknown): boolean {
  return Object.values(body as object).some(
    (value) => value instanceof LongText || value instanceof LongTexts,
  )
}

export function refuseQuery({ query }: FastifyRequest): void {
  const [field] = Object.keys(query as object)
  if (field === undefined) return
  const message = `A query string must not stand beside a JSON body. Given: ${shown(field)}`
  throw new InletError('invalid_request', message, field)
}
