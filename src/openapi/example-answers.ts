import type { FastifyInstance, InjectOptions } from 'fastify'
import { datasetIndexing } from '../datasets/errors.js'
import { bodyOf, type ErrorCode, type InletError } from '../errors.js'
import { insufficientStorage } from '../files/quota.js'
import { toInletError } from '../http/answers/errors.js'
import { CLIENT_ERRORS } from '../http/connections/client-errors.js'
import { deadlineExceeded, overloaded, stopping } from '../load/refusals.js'
import { modelLoading, uploadsGone } from '../models/errors.js'
import { ERROR_EXAMPLES, type ServiceState } from './error-examples.js'
import type { Json } from './json.js'
import type { Example, Operation } from './operation.js'
import { OPERATIONS } from './operations/registry.js'

/** The service's answers to the examples; the document shows only these. */
export interface ExampleAnswers {
  /** `operationId/example` → status and body. */
  readonly byExample: ReadonlyMap<string, { readonly status: number; readonly body: Json }>
  /** Error code → the body of an answer with it, from a request that causes it. */
  readonly byCode: ReadonlyMap<ErrorCode, Json>
}

/** `created` in all examples, Unix seconds: the start of 2026, so that the document is the same each time. */
const CREATED = 1_767_225_600

const REQUEST_ID = '5f0c0f6e-3b55-4f0a-9d5c-2f4d4f3d7c11'
const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/

/** The body of an answer for the document: `created` and the request's id, which differ each time, become constants. */
export function shownBody(text: string): Json {
  return JSON.parse(text, (key, value) => {
    if (key === 'created') return CREATED
    return key === 'id' && UUID.test(value) ? REQUEST_ID : value
  })
}

/** Errors that no request to a working service causes. */
const CONSTANT_ERRORS: readonly InletError[] = [
  ...Object.values(CLIENT_ERRORS),
  toInletError(new Error()),
  stopping(),
  overloaded('There is no room for this request now.'),
  deadlineExceeded('2.5 s, as X-Request-Timeout asks'),
  uploadsGone('mine'),
  modelLoading('mine'),
  datasetIndexing(),
  insufficientStorage(16_000_000_000, 17_179_869_184, 2_000_000_000),
]

/** Sends every example of the documentation to the service, and gathers the answers. */
export async function exampleAnswers(
  apps: Readonly<Record<ServiceState, FastifyInstance>>,
): Promise<ExampleAnswers> {
  const byExample = new Map<string, { status: number; body: Json }>()
  for (const operation of OPERATIONS) {
    for (const example of operation.examples) {
      const answer = await apps[operation.examplesBy ?? 'ready'].inject(exampleRequest(operation, example))
      byExample.set(`${operation.id}/${example.name}`, {
        status: answer.statusCode,
        body: shownBody(answer.body),
      })
    }
  }
  const byCode = new Map<ErrorCode, Json>()
  for (const error of CONSTANT_ERRORS) byCode.set(error.code, bodyOf(error) as unknown as Json)
  for (const [code, { state, request }] of Object.entries(ERROR_EXAMPLES)) {
    const answer = await apps[state].inject(request)
    byCode.set(code as ErrorCode, shownBody(answer.body))
  }
  return { byExample, byCode }
}

/** An example as a request: path and query from its parameters, headers and bytes from its body. */
function exampleRequest({ method, path }: Operation, { parameters = {}, body }: Example): InjectOptions {
  const query = new URLSearchParams()
  let url = path
  for (const [name, value] of Object.entries(parameters)) {
    const inPath = `{${name}}`
    if (url.includes(inPath)) url = url.replace(inPath, encodeURIComponent(value))
    else query.set(name, value)
  }
  if (query.size > 0) url += `?${query}`
  if (body === undefined) return { method, url }
  const payload = body.mediaType === 'application/json' ? JSON.stringify(body.value) : String(body.value)
  return { method, url, headers: { 'content-type': body.mediaType }, payload }
}
