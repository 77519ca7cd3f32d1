import { Ajv2020 } from 'ajv/dist/2020.js'
import type { InjectOptions } from 'fastify'
import { beforeAll, describe, expect, it } from 'vitest'
import type { ServiceState } from '../../src/openapi/error-examples.js'
import type { Json } from '../../src/openapi/json.js'
import { DOCUMENT, type DocumentedOperation, documentedOperations, services } from './documented.js'

/** A request as a reader of the document makes it: nothing of the builder is used here. */
function documentedRequest(
  method: string,
  path: string,
  { parameters = [], requestBody }: DocumentedOperation,
  example: string,
): InjectOptions {
  let url = path
  const query: string[] = []
  for (const parameter of parameters) {
    const value = parameter.examples?.[example]?.value
    if (value === undefined) continue
    const text = Array.isArray(value) ? value.join(',') : String(value)
    if (parameter.in === 'path') url = url.replace(`{${parameter.name}}`, encodeURIComponent(text))
    else query.push(`${parameter.name}=${encodeURIComponent(text)}`)
  }
  if (query.length > 0) url += `?${query.join('&')}`
  const request = { method: method.toUpperCase() as 'GET', url }
  for (const [mediaType, { examples }] of Object.entries(requestBody?.content ?? {})) {
    const value = examples?.[example]?.value
    if (value === undefined) continue
    const payload = mediaType === 'application/json' ? JSON.stringify(value) : String(value)
    return { ...request, headers: { 'content-type': mediaType }, payload }
  }
  return request
}

/** Names that a request of the operation has. */
function requestNames({ parameters = [], requestBody }: DocumentedOperation): Set<string> {
  const fromParameters = parameters.flatMap(({ examples }) => Object.keys(examples ?? {}))
  const contents = Object.values(requestBody?.content ?? {})
  return new Set([...fromParameters, ...contents.flatMap(({ examples }) => Object.keys(examples ?? {}))])
}

const examples = documentedOperations.flatMap(({ method, path, operation }) =>
  Object.entries(operation.responses).flatMap(([status, { content }]) => {
    const names = requestNames(operation)
    const withoutInput = names.size === 0
    return Object.entries(content?.['application/json']?.examples ?? {})
      .filter(([name]) => names.has(name) || (withoutInput && status === '200'))
      .map(([name, { value }]) => ({
        name,
        method,
        path,
        operation,
        status: Number(status),
        answer: value as Json,
      }))
  }),
)

/** What differs from run to run: when the tables were made, and a request's id. */
const CONSTANTS: Readonly<Record<string, (value: unknown) => unknown>> = {
  created: () => 1_767_225_600,
  id: (value) => (String(value).length === 36 ? '5f0c0f6e-3b55-4f0a-9d5c-2f4d4f3d7c11' : value),
}

/** The services that answer some paths, where it is not the one without configuration. */
const ANSWERED_BY: Readonly<Record<string, ServiceState>> = {
  '/v1/embeddings': 'folders',
  '/v1/prompt-embeds': 'folders',
}

/** Says whether an answer is one that the document allows: its schemas by their pointers. */
const ajv = new Ajv2020({ strict: false, validateFormats: false })
ajv.addSchema(DOCUMENT as object, 'openapi.yaml')

/** What the document's schema of the answer says against it: `[]` for a good one. */
function complaints(path: string, method: string, status: number, answer: Json): readonly string[] {
  const pointer = [
    'paths',
    path,
    method,
    'responses',
    String(status),
    'content',
    'application/json',
    'schema',
  ]
  const escaped = pointer.map((part) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1')))
  const validate = ajv.getSchema(`openapi.yaml#/${escaped.join('/')}`)
  if (validate === undefined) throw new Error(`${method} ${path} has no schema for ${status}`)
  validate(answer)
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`)
}

describe('every example of openapi.yaml', () => {
  let apps: Awaited<ReturnType<typeof services>>

  beforeAll(async () => {
    apps = await services()
  })

  it.each(examples)('$method $path: $name is answered as documented', async (example) => {
    const { method, path, operation, name } = example
    const app = apps[ANSWERED_BY[path] ?? 'ready']
    const answer = await app.inject(documentedRequest(method, path, operation, name))
    const body = JSON.parse(answer.body, (key, value) => CONSTANTS[key]?.(value) ?? value)
    expect(answer.statusCode).toBe(example.status)
    expect(body).toEqual(example.answer)
    if (example.status === 200) expect(complaints(path, method, 200, body)).toEqual([])
  })

  it('covers each documented request', () => {
    const asked = documentedOperations.flatMap(({ operation }) =>
      [...requestNames(operation)].map((name) => `${operation.operationId}/${name}`),
    )
    const answered = examples.map(({ operation, name }) => `${operation.operationId}/${name}`)
    expect(asked.filter((name) => !answered.includes(name))).toEqual([])
    expect(answered.length).toBeGreaterThan(25)
  })
})
