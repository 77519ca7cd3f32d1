import { datasetOperations } from '../../features/datasets/document.js'
import { serviceOperations } from '../../features/health/document.js'
import { embeddingOperations } from '../../features/input-embeddings/document.js'
import { learningOperations } from '../../features/learning/document.js'
import { modelOperations } from '../../features/models/document.js'
import { inferenceOperations } from '../../features/open-inference/document.js'
import { tokenOperations } from '../../features/tokenize/document.js'
import { ERRORS, type ErrorCode } from '../answer/error-table.js'
import { HEADERS, headers } from './headers.js'
import { type Json, type JsonObject, mapped, ref } from './json.js'
import { errorCodes, type GoodAnswer, JSON_TYPE, type Operation } from './operation.js'
import { componentName, parameters } from './parameters.js'
import { plainSchema } from './plain-schema.js'
import { withReferences } from './references.js'
import { schemas as allSchemas } from './schemas.js'

/** Every operation of the service, in the order of the document. */
const OPERATIONS: readonly Operation[] = [
  ...[...embeddingOperations, ...tokenOperations, ...datasetOperations, ...modelOperations],
  ...[...learningOperations, ...inferenceOperations, ...serviceOperations],
]

/** Error codes that any request can get. */
const EVERYWHERE: readonly ErrorCode[] = [
  ...(['request_timeout', 'headers_too_large', 'internal', 'overloaded', 'deadline_exceeded'] as const),
]

const quoted = (code: string) => `\`${code}\``

const ERROR_ROWS = Object.entries(ERRORS).map(
  ([code, { status, when }]) => `| ${status} | ${quoted(code)} | ${when} |`,
)

const DESCRIPTION = `The first layer of a language model over HTTP. Raw text goes in; the tensors that the first transformer block takes come out, to the bit as PyTorch and tiktoken make them:

    text → token ids → windows → token embeddings (+ position embeddings) → input embeddings [B, T, C]

Axes: B windows, T positions (\`context_length\`), C channels (\`embedding_dim\`), H heads, K keys, R rotary channels, D channels of a head.

An example of a request and the example of its answer have the same name.

Errors are \`{ "error": { "type", "code", "message", "param" } }\`, below /v2 \`{ "error": "message" }\`. An operation names its own codes; any request can get ${EVERYWHERE.map(quoted).join(', ')}, and one that needs a key \`unauthorized\`. \`method_not_allowed\` belongs to no operation: it answers other methods; \`not_found\` answers other paths.

<details><summary>All error codes</summary>

| status | code | when |
| --- | --- | --- |
${ERROR_ROWS.join('\n')}

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

/** The OpenAPI 3.1 document: paths from the operations, schemas from zod. */
export function openApiDocument(version: string): JsonObject {
  const paths: Record<string, JsonObject> = {}
  for (const operation of OPERATIONS) {
    const [method, path] = operation.route.split(' ')
    paths[path] = { ...paths[path], [method]: operationObject(operation) }
  }
  const used = JSON.stringify(paths)
  const schemas = mapped(allSchemas(), plainSchema)
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
    paths,
    components: {
      securitySchemes: { key, admin },
      parameters: withReferences(Object.fromEntries(shared), schemas),
      headers: mapped(HEADERS, plainSchema),
      responses: {
        ErrorAnswer: errorResponse('ErrorAnswer', { error: ERROR }),
        InferenceError: errorResponse('InferenceError', { error: ERROR.message }),
      },
      schemas: mapped(schemas, (schema) => withReferences(schema, schemas)),
    },
  }
}

const ERROR = {
  type: 'invalid_request_error',
  code: 'token_out_of_range',
  message: '`input_ids.1` must be below `vocab_size` 50257. Given: 50257',
  param: 'input_ids.1',
}

function errorResponse(schema: string, example: JsonObject): JsonObject {
  return {
    description: 'The code’s status; `Retry-After` with 503, `WWW-Authenticate` with 401.',
    headers: headers('Retry-After', 'WWW-Authenticate'),
    content: { [JSON_TYPE]: { schema: ref('schemas', schema), example } },
  }
}

const SECURITY: Readonly<Record<NonNullable<Operation['access']>, Json>> = {
  open: [],
  admin: [{ admin: [] }],
  learn: [{ admin: [] }, { key: [] }],
}

function operationObject(operation: Operation): JsonObject {
  const { id, tag, summary, description, access, answers, examples = [] } = operation
  const codes = errorCodes(operation).map(quoted).join(', ')
  const error = ref('responses', operation.isInference ? 'InferenceError' : 'ErrorAnswer')
  const good = answers.map((answer, i) => [answer.status ?? 200, goodAnswer(answer, i === 0 ? examples : [])])
  return {
    ...{ operationId: id, tags: [tag], summary },
    description: codes === '' ? description : `${description}\n\nErrors: ${codes}.`,
    ...(access && { security: SECURITY[access] }),
    ...parametersOf(operation),
    ...bodyOf(operation),
    responses: { ...Object.fromEntries(good), '4XX': error, '5XX': error },
  }
}

function goodAnswer(
  { description, headers: names = [], content }: GoodAnswer,
  examples: Examples,
): JsonObject {
  const answered = examples.flatMap(({ name, answer: value }) =>
    value === undefined ? [] : [[name, { value }]],
  )
  const shown = Object.entries(content).map(([mediaType, schema]) => {
    const hasExamples = mediaType === JSON_TYPE && answered.length > 0
    return [mediaType, { schema, ...(hasExamples && { examples: Object.fromEntries(answered) }) }]
  })
  const response = { description, headers: headers(...names) }
  return shown.length === 0 ? response : { ...response, content: Object.fromEntries(shown) }
}

type Examples = NonNullable<Operation['examples']>

function bodyOf({ body, examples = [] }: Operation): JsonObject {
  if (body === undefined) return {}
  const content = Object.entries(body).map(([mediaType, schema]) => {
    const named = examples
      .filter((each) => each.body !== undefined && (each.mediaType ?? JSON_TYPE) === mediaType)
      .map(({ name, summary, body }) => [name, { summary, value: body }])
    return [mediaType, { schema, ...(named.length > 0 && { examples: Object.fromEntries(named) }) }]
  })
  const description = 'It may be packed: `Content-Encoding: gzip` or `br`.'
  return { requestBody: { description, required: true, content: Object.fromEntries(content) } }
}

/** Parameters as references to components; where an example gives a value, the parameter itself with it. */
function parametersOf({ route, parameters: others = [], examples = [] }: Operation): JsonObject {
  const names = [...Array.from(route.matchAll(/\{(\w+)\}/g), ([, name]) => `${name}_path`), ...others]
  if (names.length === 0) return {}
  const shared = parameters()
  const all = names.map((name): Json => {
    const parameter = shared[componentName(name)]
    const values = examples.flatMap(({ name: example, summary, parameters }) => {
      const value = parameters?.[parameter.name as string]
      return value === undefined ? [] : [[example, { summary, value }]]
    })
    if (values.length === 0) return ref('parameters', componentName(name))
    return { ...parameter, examples: Object.fromEntries(values) }
  })
  return { parameters: all }
}
