import type { FastifyInstance, FastifyRequest } from 'fastify'
import { rateLimited } from '../callers/rates.js'
import type { ErrorCode, InletError } from '../errors.js'
import { toInletError } from '../http/answers/errors.js'
import { CLIENT_ERRORS } from '../http/connections/client-errors.js'
import { upstreamFailed, upstreamTimeout } from '../http/proxy/upstream-errors.js'
import { deadlineExceeded, notLive, overloaded, stopping } from '../load/refusals.js'
import { uploadsGone } from '../models/errors.js'
import { modelLoading } from '../models/library/models.js'
import type { ExampleAnswers } from './answers.js'
import { ERROR_EXAMPLES, type ServiceState } from './error-examples.js'
import { exampleRequest } from './example-request.js'
import type { Json } from './json.js'
import { OPERATIONS } from './operations/registry.js'

/** `created` in all examples, Unix seconds: the start of 2026, so that the document is the same each time. */
const CREATED = 1_767_225_600

/** The body of an answer for the document: `created`, which differs at each start, becomes a constant. */
export function shownBody(text: string): Json {
  return JSON.parse(text, (key, value) => (key === 'created' ? CREATED : value))
}

/** Errors that no request to a working service causes. */
const CONSTANT_ERRORS: readonly InletError[] = [
  ...Object.values(CLIENT_ERRORS),
  toInletError(new Error(), {} as FastifyRequest),
  stopping(),
  notLive(1),
  rateLimited({ name: 'requests', quota: 100, seconds: 1 }, 0.4),
  overloaded('There is no room for this request now.'),
  deadlineExceeded('2.5 s, as X-Request-Timeout asks'),
  uploadsGone('mine'),
  modelLoading('mine'),
  upstreamFailed('it refuses connections'),
  upstreamTimeout('was silent', 300),
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
  for (const error of CONSTANT_ERRORS) byCode.set(error.code, error.body() as unknown as Json)
  for (const [code, { state, request }] of Object.entries(ERROR_EXAMPLES)) {
    const answer = await apps[state].inject(request)
    byCode.set(code as ErrorCode, shownBody(answer.body))
  }
  return { byExample, byCode }
}
