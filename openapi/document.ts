import { existsSync } from 'node:fs'
import type { FastifyContextConfig, RouteOptions } from 'fastify'
import { z } from 'zod'
import { FORMATS } from '../src/first-layer/formats/formats.js'
import type { ErrorCode } from '../src/service/answer/error-table.js'
import { type Json, type JsonObject, ref } from '../src/service/document/components.js'
import {
  BYTES,
  ERROR_EXAMPLE,
  type Example,
  type FeatureDocument,
  type GoodAnswer,
  type Operation,
  OTHER_BYTES,
} from '../src/service/document/operation.js'
import { ERROR_ROWS, FEATURES, HEADERS } from '../src/service/features.js'
import { JSON_TYPE } from '../src/service/request/checks/head-checks.js'
import { Components, nameOf } from './components.js'
import { Parameters } from './parameters.js'
import { plainSchema } from './plain-schema.js'
import { errorAnswer, NAMED } from './shared.js'

/** Error codes that any request can get. */
const EVERYWHERE: readonly ErrorCode[] = [
  ...(['request_timeout', 'headers_too_large', 'internal', 'overloaded', 'deadline_exceeded'] as const),
]

const quoted = (code: string) => `\`${code}\``

const description =
  () => `The first layer of a language model over HTTP. Raw text goes in; the tensors that the first transformer block takes come out, to the bit as PyTorch and tiktoken make them:

    text → token ids → windows → token embeddings (+ position embeddings) → input embeddings [B, T, C]

Axes: B windows, T positions (\`context_length\`), C channels (\`embedding_dim\`), H heads, K keys, R rotary channels, D channels of a head.

An example of a request and the example of its answer have the same name.

Errors are \`{ "error": { "type", "code", "message", "param" } }\`, below /v2 \`{ "error": "message" }\`. An operation names its own codes; any request can get ${EVERYWHERE.map(quoted).join(', ')}, and one that needs a key \`unauthorized\`. \`method_not_allowed\` belongs to no operation: it answers other methods; \`not_found\` answers other paths.

<details><summary>All error codes</summary>

| status | code | when |
| --- | --- | --- |
${ERROR_ROWS.map(([code, [status, when]]) => `| ${status} | ${quoted(code)} | ${when} |`).join('\n')}

</details>`

const TAGS = Object.entries({
  Embeddings: 'Tensors for the first transformer block.',
  Datasets: 'A corpus is uploaded once; batch i depends on nothing but dataset, recipe, epoch, rank and i.',
  Tokens: 'Token ids and back.',
  Models: 'What is served, and its limits.',
  Learning:
    'A trainer’s optimizer, gradients and steps, as PyTorch’s. The admin key, or one with the model under `learn`.',
  'Open Inference Protocol':
    'Version 2 of KServe’s and Triton’s protocol for every model, with the binary tensor extension. Its errors are `{ "error": "text" }`.',
  Service: 'Health, metrics, documents.',
}).map(([name, description]) => ({ name, description }))

/** The words of features about their routes: `document.ts` of their folders, in the order of features.ts. */
export function featureDocuments(): Promise<FeatureDocument[]> {
  const names = FEATURES.map(({ name }) => name)
  const those = names.filter((name) => existsSync(`src/features/${name}/document.ts`))
  return Promise.all(those.map((name) => import(`../src/features/${name}/document.ts`)))
}

interface Made {
  readonly components: Components
  /** The error answers of features that have no others. */
  readonly usualError: NonNullable<FeatureDocument['errorAnswer']>
  readonly parameters: Parameters
}

/**
 * The OpenAPI 3.1 document: each route with an `operationId`, and what its feature's document says of it.
 * @param routes as Fastify's `onRoute` gives them
 */
export function openApiDocument(
  version: string,
  routes: readonly RouteOptions[],
  documents: readonly FeatureDocument[],
): JsonObject {
  const components = new Components()
  for (const each of NAMED) components.input(each)
  const ownParameters = Object.assign({}, ...documents.map((each) => each.parameters))
  const usualError = { schema: errorAnswer(), example: { error: ERROR_EXAMPLE } }
  const made = { components, usualError, parameters: new Parameters(components, ownParameters) }
  const paths: Record<string, JsonObject> = {}
  for (const route of routes) {
    const id = route.schema?.operationId
    if (id === undefined || route.method === 'HEAD') continue
    const document = documents.find(({ operations }) => id in operations)
    if (document === undefined) throw new Error(`No feature's document has the operation ${id}.`)
    const path = route.url.replaceAll(/:(\w+)/g, '{$1}')
    const method = (route.method as string).toLowerCase()
    paths[path] = { ...paths[path], [method]: operationObject(path, route, id, document, made) }
  }
  const text = JSON.stringify(paths) // operations keep parameters with examples
  const named = Object.entries(made.parameters.used).filter(([name]) => text.includes(`/parameters/${name}"`))
  const errors = [usualError, ...documents.flatMap(({ errorAnswer }) => errorAnswer ?? [])]
  const responses = errors.map(({ schema: of, example }) => {
    const schema = components.output(of)
    return [nameOf(schema), errorResponse(schema, example)] as const
  })
  const key = { type: 'http', scheme: 'bearer', description: 'Needed where the service has keys.' }
  const admin = { ...key, description: 'The admin key: it changes models, and opens all else.' }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Inlet',
      version,
      summary: 'Text in, input embeddings out.',
      description: description(),
      contact: { name: 'The Inlet authors' },
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/', description: 'The service that this document comes from.' }],
    security: [{}, { key: [] }],
    tags: TAGS.filter(({ name }) => documents.some(({ tag }) => tag === name)),
    paths,
    components: {
      securitySchemes: { key, admin },
      parameters: Object.fromEntries(named),
      headers: plainSchema(HEADERS),
      responses: Object.fromEntries(responses),
      schemas: components.schemas,
    },
  }
}

function errorResponse(schema: JsonObject, example: JsonObject): JsonObject {
  return {
    description: 'The code’s status; `Retry-After` with 503, `WWW-Authenticate` with 401.',
    headers: headers('Retry-After', 'WWW-Authenticate'),
    content: { [JSON_TYPE]: { schema, example } },
  }
}

function operationObject(
  path: string,
  route: RouteOptions,
  id: string,
  { tag, operations, examples = {}, errorAnswer }: FeatureDocument,
  { components, usualError, parameters }: Made,
): JsonObject {
  const operation = operations[id]
  const { config = {}, schema = {} } = route
  const { summary, description, answers, body: forms = {} } = operation
  const shown = Object.entries<Example>(examples[id] ?? {})
  const consumes = config.media?.consumes ?? Object.keys(forms)
  const ofPath = Array.from(path.matchAll(/\{(\w+)\}/g), ([, name]) => `${name}_path`)
  const codes = codesOf(route, operation, consumes, ofPath, parameters).map(quoted).join(', ')
  const error = ref('responses', nameOf(components.output((errorAnswer ?? usualError).schema)))

  function requestBody(): JsonObject {
    const content = consumes.map((type) => {
      const form = forms[type] ?? (type === JSON_TYPE ? (schema.body as z.ZodType) : BYTES)
      const those = shown.filter(
        ([, { body, mediaType = JSON_TYPE }]) => body !== undefined && mediaType === type,
      )
      const values = those.map(([name, { summary, body }]) => [name, { summary, value: body! }] as const)
      return [type, { schema: form instanceof z.ZodType ? components.input(form) : form, ...named(values) }]
    })
    const description = 'May be packed: gzip or br.'
    return { description, required: true, content: Object.fromEntries(content) }
  }

  function response(
    status: string,
    { description, headers: names = [], schema }: GoodAnswer,
    isUsual: boolean,
  ) {
    const { produces = [JSON_TYPE] } = config.media ?? {}
    const those = shown.filter(([, { answer }]) => isUsual && answer !== undefined)
    const values = named(those.map(([name, { answer }]) => [name, { value: answer! }]))
    const content = (produces === 'tensors' ? TENSOR_TYPES : produces).flatMap((type) => {
      const bytes = isUsual ? BYTES : OTHER_BYTES
      if (type !== JSON_TYPE) return type.includes(';') ? [] : [[type, { schema: TEXTS[type] ?? bytes }]]
      return schema === undefined ? [] : [[type, { schema: components.output(schema), ...values }]]
    })
    const hasBody = status !== '204' && status !== '304'
    const answer = { description, headers: headers(...names) }
    return hasBody ? { ...answer, content: Object.fromEntries(content) } : answer
  }

  /** Parameters as references to components; where an example gives a value, the parameter itself with it. */
  function allParameters(): Json[] {
    const { head = [], query = schema.querystring as z.ZodObject | undefined, prefix } = operation
    const names = [...ofPath, ...head].map((name) => parameters.named(name))
    if (query !== undefined) names.push(...parameters.query(query, prefix))
    return names.map((name) => {
      const parameter = parameters.used[name]
      const values = shown.flatMap(([example, { summary, parameters = {} }]) => {
        const value = parameters[parameter.name as string]
        return value === undefined ? [] : [[example, { summary, value }] as const]
      })
      return values.length === 0 ? ref('parameters', name) : { ...parameter, ...named(values) }
    })
  }

  const all = allParameters()
  const good = Object.entries(answers).map(([status, each], i) => [status, response(status, each, i === 0)])
  return {
    ...{ operationId: id, tags: [tag], summary },
    description: codes === '' ? description : `${description}\n\nErrors: ${codes}.`,
    ...security(config),
    ...(all.length > 0 && { parameters: all }),
    ...(consumes.length > 0 && { requestBody: requestBody() }),
    responses: { ...Object.fromEntries(good), '4XX': error, '5XX': error },
  }
}

function named(examples: readonly (readonly [name: string, JsonObject])[]): JsonObject {
  return examples.length === 0 ? {} : { examples: Object.fromEntries(examples) }
}

const TEXTS: Readonly<Record<string, JsonObject>> = {
  'text/html': { type: 'string' },
  'text/plain': { type: 'string' },
  'application/yaml': { type: 'object' },
}

const TENSOR_TYPES = FORMATS.flatMap(({ mediaTypes }) => mediaTypes)

function security({ needs }: FastifyContextConfig): JsonObject {
  if (needs === 'nothing') return { security: [] }
  if (needs === 'admin') return { security: [{ admin: [] }] }
  return needs === 'learn' ? { security: [{ admin: [] }, { key: [] }] } : {}
}

/** The error codes of an operation, beside those that any request can get, in the order of the table of errors. */
function codesOf(
  { method, url, config = {}, schema = {} }: RouteOptions,
  { errors = [], head = [], query = schema.querystring as z.ZodObject | undefined }: Operation,
  consumes: readonly string[],
  ofPath: readonly string[],
  parameters: Parameters,
): ErrorCode[] {
  const all = new Set(errors.flat())
  const add = (is: boolean, ...codes: readonly ErrorCode[]) =>
    is && codes.forEach((code) => void all.add(code))
  const makes = method === 'PUT' && /:\w+$/.test(url) // what its path names
  add(!makes, ...parameters.errorsOf(ofPath))
  add(true, ...parameters.errorsOf(head))
  add(consumes.length > 0 || head.length > 0 || query !== undefined, 'invalid_request')
  add(consumes.length > 0, 'invalid_encoding', 'unsupported_media_type')
  add(consumes.includes(JSON_TYPE), 'invalid_json', 'invalid_unicode', 'body_too_large')
  add(config.media !== undefined && config.media.isNegotiated !== false, 'not_acceptable')
  add(config.needs === 'admin' || config.needs === 'learn', 'admin_disabled', 'forbidden')
  add(all.has('model_not_found'), 'forbidden')
  return ERROR_ROWS.flatMap(([code]) => (all.has(code) ? [code] : []))
}

function headers(...names: readonly string[]): JsonObject {
  return Object.fromEntries(['X-Request-Id', ...names].map((name) => [name, ref('headers', name)]))
}
