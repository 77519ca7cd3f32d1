import { Ajv2020 } from 'ajv/dist/2020.js'
import type { InjectOptions } from 'fastify'
import { expect, it } from 'vitest'
import { DOCUMENT, type DocumentedOperation, documentedOperations, service } from './documented.js'

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
function requestNames({ parameters = [], requestBody }: DocumentedOperation): readonly string[] {
  const fromParameters = parameters.flatMap(({ examples }) => Object.keys(examples ?? {}))
  const contents = Object.values(requestBody?.content ?? {})
  return [...new Set([...fromParameters, ...contents.flatMap(({ examples }) => Object.keys(examples ?? {}))])]
}

const examples = documentedOperations.flatMap(({ method, path, operation }) =>
  requestNames(operation).map((name) => ({ name, method, path, operation })),
)

/** Tells if the document allows an answer: its schemas by their pointers. */
const ajv = new Ajv2020({ strict: false, validateFormats: false })
ajv.addSchema(DOCUMENT as object, 'openapi.yaml')

/** The schema's complaints about a JSON answer: `[]` for a good one. */
function complaints(path: string, method: string, status: number, answer: unknown): readonly string[] {
  const place = ['paths', path, method, 'responses', String(status), 'content', 'application/json', 'schema']
  const escaped = place.map((part) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1')))
  const validate = ajv.getSchema(`openapi.yaml#/${escaped.join('/')}`)!
  validate(answer)
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`)
}

it.each(examples)('$method $path: $name is answered as documented', async (example) => {
  const { method, path, operation, name } = example
  const answer = await (await service()).inject(documentedRequest(method, path, operation, name))
  expect([200, 201], answer.body).toContain(answer.statusCode)
  expect(complaints(path, method, answer.statusCode, answer.json())).toEqual([])
  const shown = operation.responses[200].content?.['application/json'].examples?.[name]
  if (shown !== undefined) expect(answer.json()).toEqual(shown.value)
})

it('an answer is shown for a documented request only', () => {
  for (const { operation } of documentedOperations) {
    const answered = operation.responses[200]?.content?.['application/json']?.examples ?? {}
    expect(requestNames(operation)).toEqual(expect.arrayContaining(Object.keys(answered)))
  }
  expect(examples.length).toBeGreaterThan(20)
})

it('the service gives the error that the document shows', async () => {
  const payload = { input_ids: [15496, 50257] }
  const answer = await (await service()).inject({ method: 'POST', url: '/v1/input-embeddings', payload })
  const { responses } = DOCUMENT.components as Record<string, typeof DOCUMENT>
  expect(responses).toHaveProperty(['ErrorAnswer', 'content', 'application/json', 'example'], answer.json())
})
