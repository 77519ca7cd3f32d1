import type { FastifyInstance, FastifyRequest, preValidationHookHandler } from 'fastify'
import type { Steps } from 'inlet-chat-template'
import type { z } from 'zod'
import { countOf, type Given } from '../../../first-layer/given.js'
import { checkUnicode, jsonText, parseJson } from '../../../first-layer/json.js'
import { isDefault } from '../../../first-layer/options/flat.js'
import { parse } from '../../../first-layer/options/parse.js'
import { queryFields, queryReader } from '../../../first-layer/options/query.js'
import { InletError, quoted, shown } from '../../answer/error-table.js'
import type { LimitVariables } from '../../process/config.js'
import type { Claim } from '../../process/turn.js'
import { isTurnOver, nextTurn, stepsInTurns } from '../../process/turn.js'
import { JSON_TYPE } from '../checks/head-checks.js'
import { SMALL_BODY_BYTES } from '../claims.js'
import { checkContentLength, readBody } from './read-body.js'

export type JsonLimits = Pick<LimitVariables, 'MAX_JSON_BODY_BYTES' | 'MAX_DOCUMENTS'>

type Change = (value: unknown, text: string) => Steps<void>

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Changes what JSON.parse has made of the body, before the schema sees it. */
    change?: Change
  }
}

/**
 * Reads a JSON body, before the route's schema checks it. All fields must be in the body: a query string is
 * refused, except fields with their default, which generated clients send.
 * @throws InletError `body_too_large`, `invalid_encoding`, `invalid_unicode`, `invalid_json`, `invalid_request`, `overloaded`
 */
async function readJson(
  request: FastifyRequest,
  schema: z.ZodType,
  limits: JsonLimits,
  change?: Change,
): Promise<void> {
  const bytes = await readBody(request, limits.MAX_JSON_BODY_BYTES, 'MAX_JSON_BODY_BYTES')
  const { text, value } = await jsonOf(request.claim, bytes)
  if (change !== undefined) await stepsInTurns(change(value, text), request.claim)
  refuseQuery(request, schema)
  if (value === null) parse(schema, null) // the framework checks no null: it stands for no body
  request.body = value
}

/**
 * A large body's values take about as much memory as the body, and both are kept until the request ends. Its scan is a
 * turn of the event loop, and its parsing another: together they would take more than a tenth of a second.
 */
async function jsonOf(claim: Claim, bytes: Buffer) {
  const isLarge = bytes.length > SMALL_BODY_BYTES
  if (isLarge) await claim.take(bytes.length)
  if (isLarge && isTurnOver()) await nextTurn(claim)
  const text = jsonText(bytes)
  if (isLarge && isTurnOver()) await nextTurn(claim)
  const value = parseJson(text)
  checkUnicode(value, text)
  return { text, value }
}

/** Checks JSON that a route has read itself, as the framework does by the route's schema. */
export async function parsedBody<S extends z.ZodType>(
  request: FastifyRequest,
  bytes: Buffer,
  schema: S,
  limits: Pick<JsonLimits, 'MAX_DOCUMENTS'>,
): Promise<z.output<S>> {
  const { value } = await jsonOf(request.claim, bytes)
  refuseQuery(request, schema)
  return bodyReader(schema, limits)(value)
}

/** Refuses a query string, except fields of the body's schema that have their default value. */
export function refuseQuery({ query }: FastifyRequest, schema?: z.ZodType): void {
  if (query === '') return
  for (const [field, text] of queryFields(query as string)) {
    if (isDefault(schema, field, text)) continue
    const message = `A query string must not stand beside a JSON body. Given: ${shown(field)}`
    throw new InletError('invalid_request', message, field)
  }
}

/**
 * Reads JSON if the route's schema has a body. All other bodies are left as they come, for the routes that take them
 * block by block: their `request.body` is null. JSON is read in a hook: the framework closes the connection after an
 * error of a parser.
 */
export function addBodyParsers(
  app: FastifyInstance,
  limits: JsonLimits & Pick<LimitVariables, 'MAX_BODY_BYTES'>,
): void {
  app.removeAllContentTypeParsers()
  // Named, the usual types are found without a parse of theirs.
  app.addContentTypeParser([JSON_TYPE, 'text/plain', '*'], (_request, _body, done) => done(null, null))
  app.addHook('onRoute', (route) => {
    const { bodyLimit = limits.MAX_BODY_BYTES, schema, config } = route
    if (schema?.body === undefined) return
    const read: preValidationHookHandler = (request, _reply, done) => {
      if (request.body !== null) return done()
      if (request.bodyType === JSON_TYPE) {
        readJson(request, schema.body as z.ZodType, limits, config?.change).then(() => done(), done)
        return
      }
      // A text has its fields in the query string, which are checked after its length.
      if (schema.querystring !== undefined) checkContentLength(request, bodyLimit)
      done()
    }
    route.preValidation = [read, route.preValidation ?? []].flat()
  })
  app.addHttpMethod('QUERY', { overrideExisting: true }) // as one that has a body, it would need a Content-Type
}

/**
 * Checks bodies and query strings with the zod schemas of their routes. The error names the field, the rule
 * and the value given. A part of a path is any text: its schema is for types and the document.
 */
export function addValidation(app: FastifyInstance, limits: Pick<JsonLimits, 'MAX_DOCUMENTS'>): void {
  app.setValidatorCompiler<z.ZodObject>(({ schema, httpPart }) => {
    if (httpPart === 'params') return () => true
    const isQuery = httpPart === 'querystring'
    const check = isQuery ? queryReader(schema) : bodyReader(schema, limits)
    const defaults = isQuery ? schema.safeParse({}).data : undefined
    return (given: unknown) => {
      try {
        if (given === null) return true
        return { value: given === '' && defaults !== undefined ? { ...defaults } : check(given as string) }
      } catch (error) {
        return { error: error as Error }
      }
    }
  })
}

function bodyReader<S extends z.ZodType>(schema: S, limits: Pick<JsonLimits, 'MAX_DOCUMENTS'>) {
  return (given: unknown): z.output<S> => {
    const body = parse(schema, given)
    checkDocuments(body as object, limits.MAX_DOCUMENTS)
    return body
  }
}

const DOCUMENTS = ['text', 'input_ids', 'token_type_ids', 'input', 'prompt']

function checkDocuments(body: object, most: number): void {
  for (const field of DOCUMENTS) {
    const given = (body as Readonly<Record<string, Given | undefined>>)[field]
    const count = given === undefined ? 0 : countOf(given)
    if (count <= most) continue
    const message = `${quoted(field)} must have at most ${most} documents (MAX_DOCUMENTS). Given: ${count}`
    throw new InletError('invalid_request', message, field)
  }
}
