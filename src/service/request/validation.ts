import type { FastifyInstance } from 'fastify'
import type { z } from 'zod'
import type { JsonLimits } from './body/json-body.js'
import { queryReader } from './body/query.js'
import { checkDocuments } from './fields/given-field.js'
import { parse } from './fields/issue.js'

/** `request.query` is the query string as it came: the framework's own parser would drop what is repeated or badly encoded. */
export const queryAsText = (query: string) => query as unknown as Record<string, unknown>

/**
 * Checks bodies and query strings with the zod schemas of their routes. The error names the field, the rule and the value
 * given. A part of a path is any text: its schema is for types and the document.
 */
export function addValidation(app: FastifyInstance, limits: Pick<JsonLimits, 'MAX_DOCUMENTS'>): void {
  app.setValidatorCompiler<z.ZodObject>(({ schema, httpPart }) => {
    if (httpPart === 'params') return () => true
    const check = httpPart === 'querystring' ? queryReader(schema) : bodyReader(schema, limits)
    return (given: unknown) => {
      try {
        return given === null ? true : { value: check(given as string) }
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
