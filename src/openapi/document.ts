import { ERRORS, type ErrorCode } from '../errors.js'
import { answerSchemas } from './answer-schemas.js'
import { datasetSchemas } from './dataset-schemas.js'
import { errorCodes, errorResponses, errorTable } from './error-responses.js'
import type { ExampleAnswers } from './example-answers.js'
import { grouped } from './grouped.js'
import { HEADERS, headers } from './headers.js'
import { type Json, type JsonObject, ref } from './json.js'
import type { GoodAnswer, Operation } from './operation.js'
import { OPERATIONS } from './operations/registry.js'
import { componentName, parameters } from './parameters.js'
import { plainSchema } from './plain-schema.js'
import { withReferences } from './references.js'
import { requestSchemas } from './request-schemas.js'

const DESCRIPTION = `The first layer of a language model over HTTP. Raw text goes in; the tensors that the first transformer block takes come out, to the bit as PyTorch and tiktoken make them:

    text → token ids → windows → token embeddings (+ position embeddings) → input embeddings [B, T, C]

Axes: B windows, T positions (\`context_length\`), C channels (\`embedding_dim\`), H heads, K keys, R rotary channels, D channels of a head.

An example of a request and the example of its answer have the same name.

Errors are \`{ "error": { "type", "code", "message", "param" } }\`, below /v2 \`{ "error": "message" }\`. \`method_not_allowed\` belongs to no operation: it answers other methods; \`not_found\` answers other paths.

<details><summary>All error codes</summary>

${errorTable()}

</details>`

const TAGS = [
  { name: 'Embeddings', description: 'Tensors for the first transformer block.' },
  {
    name: 'Datasets',
    description:
      'A corpus is uploaded once; batch i depends on nothing but dataset, recipe, epoch, rank and i.',
  },
  { name: 'Tokens', description: 'Token ids and back.' },
  { name: 'Models', description: 'What is served, and its limits.' },
  {
    name: 'Learning',
    description:
      'A trainer’s optimizer, gradients and steps, as PyTorch’s. The admin key, or one with the model under `learn`.',
  },
  {
    name: 'Open Inference Protocol',
    description:
      'Version 2 of KServe’s and Triton’s protocol for every model, with the binary tensor extension. Its errors are `{ "error": "text" }`.',
  },
  { name: 'Service', description: 'Health, metrics, documents.' },
]

/** Parts of the document that several operations share, or that would be long where they are used. */
interface Components {
  readonly responses: Map<string, JsonObject>
  readonly examples: Map<string, JsonObject>
}

/** An example whose JSON is longer becomes a component. */
const LONG_EXAMPLE = 200

/** The OpenAPI 3.1 document: paths from the operations, schemas from zod, examples from the service itself. */
export function openApiDocument(version: string, answers: ExampleAnswers): JsonObject {
  const examples = sharedCodes().map((code) => [code, { value: answers.byCode.get(code) ?? null }] as const)
  const components: Components = { responses: new Map(), examples: new Map(examples) }
  const paths = [...grouped(OPERATIONS, ({ path }) => path)].map(([path, operations]) => {
    const methods = operations.map((operation) => [
      operation.method,
      operationObject(operation, answers, components),
    ])
    return [path, Object.fromEntries(methods)] as const
  })
  const pathObjects = Object.fromEntries(paths)
  const used = JSON.stringify(pathObjects)
  const schemas = plainSchemas({ ...requestSchemas(), ...answerSchemas(), ...datasetSchemas() })
  const shared = Object.entries(parameters()).filter(([name]) => used.includes(`/parameters/${name}"`))
  const key = { type: 'http', scheme: 'bearer', description: 'Needed where the service has keys.' }
  const admin = { ...key, description: 'The admin key: it changes models, and opens all else.' }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Inlet',
      version,
      summary: 'Text in, input embeddings out.',
      description: DESCRIPTION,
      contact: { name: 'The Inlet authors' },
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/', description: 'The service that this document comes from.' }],
    security: [{}, { key: [] }],
    tags: TAGS,
    paths: pathObjects,
    components: {
      securitySchemes: { key, admin },
      parameters: withReferences(Object.fromEntries(shared), schemas),
      headers: plainSchemas(HEADERS),
      responses: Object.fromEntries(components.responses),
      schemas: Object.fromEntries(
        Object.entries(schemas).map(([name, schema]) => [name, withReferences(schema, schemas)]),
      ),
      examples: Object.fromEntries(components.examples),
    },
  }
}

/** Schemas, or what has one, by name. */
function plainSchemas<Value extends Json>(values: Readonly<Record<string, Value>>): Record<string, Value> {
  return Object.fromEntries(Object.entries(values).map(([name, each]) => [name, plainSchema(each)]))
}

/** Error codes for which some operation has no example of its own. */
function sharedCodes(): readonly ErrorCode[] {
  const needed = OPERATIONS.flatMap((operation) => {
    if (operation.isInference) return []
    return errorCodes(operation).filter((code) => !operation.examples.some(({ name }) => name === code))
  })
  return (Object.keys(ERRORS) as ErrorCode[]).filter((code) => needed.includes(code))
}

function operationObject(operation: Operation, answers: ExampleAnswers, components: Components): JsonObject {
  const { id, tag, summary, description, open, admin, learn } = operation
  const answered = operation.examples.map(({ name, summary, body, parameters }) => {
    const { status = 500, body: value = null } = answers.byExample.get(`${id}/${name}`) ?? {}
    // A request's example has the same name and the summary.
    const example: JsonObject = body || parameters ? { value } : { summary, value }
    return { name, status, example }
  })
  const good = [operation.answer, ...(operation.otherAnswers ?? [])].map((answer) => {
    const { status = 200, description, headers: names } = answer
    const examples = answered
      .filter((each) => each.status === status)
      .map(({ name, example }): [string, JsonObject] => {
        if (JSON.stringify(example).length <= LONG_EXAMPLE) return [name, example]
        components.examples.set(`${id}.${name}`, example)
        return [name, ref('examples', `${id}.${name}`)]
      })
    const content = answerContent(answer, Object.fromEntries(examples))
    const response: JsonObject = { description, headers: headers(...names) }
    return [String(status), Object.keys(content).length > 0 ? { ...response, content } : response] as const
  })
  const bad = answered
    .filter(({ status }) => status >= 300)
    .map(({ name, example }) => [name, example] as const)
  return {
    operationId: id,
    tags: [tag],
    summary,
    description,
    ...(open ? { security: [] } : {}),
    ...(admin ? { security: [{ admin: [] }] } : {}),
    ...(learn ? { security: [{ admin: [] }, { key: [] }] } : {}),
    ...parametersOf(operation),
    ...bodyOf(operation),
    responses: {
      ...Object.fromEntries(good),
      ...errorResponses(operation, new Map(bad), components.responses),
    },
  }
}

function answerContent(answer: GoodAnswer, examples: JsonObject): JsonObject {
  const content = Object.entries(answer.content).map(([mediaType, schema]) => {
    const hasExamples = mediaType === 'application/json' && Object.keys(examples).length > 0
    return [mediaType, { schema, ...(hasExamples ? { examples } : {}) }] as const
  })
  return Object.fromEntries(content)
}

function bodyOf({ body, examples }: Operation): JsonObject {
  if (body === undefined) return {}
  const content = Object.entries(body).map(([mediaType, schema]) => {
    const own = examples.filter((example) => example.body?.mediaType === mediaType)
    const named = own.map(
      ({ name, summary, body }) => [name, { summary, value: body?.value ?? null }] as const,
    )
    return [mediaType, { schema, examples: Object.fromEntries(named) }] as const
  })
  const description = 'It may be packed: `Content-Encoding: gzip` or `br`.'
  return { requestBody: { description, required: true, content: Object.fromEntries(content) } }
}

/** Parameters as references to components; where an example gives a value, the parameter itself with it. */
function parametersOf({ parameters: names = [], examples }: Operation): JsonObject {
  if (names.length === 0) return {}
  const shared = parameters()
  const all = names.map((name): Json => {
    const parameter = shared[componentName(name)]
    const values = examples.flatMap(({ name: example, summary, parameters }) => {
      const value = parameters?.[parameter.name as string]
      return value === undefined ? [] : [[example, { summary, value: typedValue(parameter, value) }] as const]
    })
    if (values.length === 0) return ref('parameters', componentName(name))
    return { ...parameter, examples: Object.fromEntries(values) }
  })
  return { parameters: all }
}

/** A value of a query string in the type of its schema: `4` → 4, `a,b` → [a, b]. */
function typedValue(parameter: JsonObject, text: string): Json {
  const { type } = parameter.schema as { type?: string }
  if (type === 'integer' || type === 'number') return Number(text)
  if (type === 'boolean') return text === 'true'
  if (type === 'array') return text === '' ? [] : text.split(',')
  return text
}
