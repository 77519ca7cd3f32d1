import type { FastifyRequest } from 'fastify'
import type { z } from 'zod'
import { InletError, shown } from '../../errors.js'
import { drive } from '../../load/drive.js'
import { SMALL_BODY_BYTES } from '../../load/request-claim.js'
import { isDefault } from '../../wire/flat-fields.js'
import type { Given } from '../../wire/given.js'
import { type LongFields, longFieldsOf } from '../../wire/json/long-fields.js'
import { readJson } from '../../wire/json/read-json.js'
import { parse } from '../../wire/schemas/issue.js'
import type { LimitVariables } from '../limit-variables.js'
import { readBody } from './read-body.js'

export type JsonLimits = Pick<LimitVariables, 'MAX_JSON_BODY_BYTES' | 'MAX_DOCUMENTS'>

const longFields = new WeakMap<z.ZodType, LongFields>()

/**
 * Reads a JSON body and checks it with its schema. All fields must be in the body: a query string is refused, but for
 * fields with their default, which generated clients send. Texts stay in the body: the caller that makes documents of
 * them lets it go. A small body's bytes stay reserved up to the request's end: to give them back costs more than they
 * do.
 *
 * @throws InletError `body_too_large`, `invalid_encoding`, `invalid_unicode`, `invalid_json`, `invalid_request`,
 * `empty_input`, `overloaded`
 */
export async function jsonBody<S extends z.ZodType>(
  request: FastifyRequest,
  schema: S,
  limits: JsonLimits,
): Promise<z.output<S>> {
  const bytes = await readBody(request, limits.MAX_JSON_BODY_BYTES)
  const reading = parsedBody(request, bytes, schema, limits)
  const body = reading instanceof Promise ? await reading : reading
  if (bytes.length > SMALL_BODY_BYTES && !holdsText(body as object)) request.claim.give(bytes.length)
  return body
}

function holdsText(body: object): boolean {
  return Object.values(body).some((value) => value?.isText === true)
}

/** Called when the documents of a body have become ids: gives back the bytes of the body in which texts lay. */
export function letGo(request: FastifyRequest, given: Given): void {
  const bytes = given.letGo()
  if (bytes > SMALL_BODY_BYTES) request.claim.give(bytes)
}

/**
 * Checks JSON with its schema, as {@link jsonBody} does, once it has been read. A body of up to 16 KiB is read at once, in
 * a tenth of a millisecond; a larger one in short turns, its memory reserved.
 */
export function parsedBody<S extends z.ZodType>(
  request: FastifyRequest,
  bytes: Buffer,
  schema: S,
  { MAX_DOCUMENTS }: Pick<JsonLimits, 'MAX_DOCUMENTS'>,
): z.output<S> | Promise<z.output<S>> {
  const { claim } = request
  let long = longFields.get(schema)
  if (long === undefined) {
    long = longFieldsOf(schema)
    longFields.set(schema, long)
  }
  const steps = readJson(bytes, long, MAX_DOCUMENTS)
  const checked = (value: unknown) => {
    refuseQuery(request, schema)
    return parse(schema, value)
  }
  const reading = drive(claim, steps)
  return reading instanceof Promise ? reading.then(checked) : checked(reading)
}

/** Refuses a query string but for fields that the schema of the body has too, with their default. */
export function refuseQuery({ query }: FastifyRequest, schema?: z.ZodType): void {
  for (const [field, text] of Object.entries(query as object)) {
    if (isDefault(schema, field, text)) continue
    const message = `A query string must not stand beside a JSON body. Given: ${shown(field)}`
    throw new InletError('invalid_request', message, field)
  }
}
