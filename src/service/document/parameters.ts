import type { z } from 'zod'
import { datasetList } from '../../features/datasets/schemas/mixture.js'
import { datasetRecipe } from '../../features/datasets/schemas/recipe.js'
import { gradientsQuery } from '../../features/learning/http/schemas.js'
import { datasetUpload } from '../corpus/upload-fields.js'
import { rawTextOptions } from '../request/fields/embedding-request.js'
import { type Field, fieldsOf } from '../request/fields/fields.js'
import type { JsonObject } from './json.js'
import { plainSchema } from './plain-schema.js'
import { jsonSchema, NAMED_FIELDS, SCHEME_NAME } from './schemas.js'

type Schemas = Readonly<Record<string, JsonObject>>

/** The fields of a schema as parameters of a query string, by name: first its own, then the options of schemes. */
export function queryParameters(schema: z.ZodObject): Schemas {
  const fields = fieldsOf(schema)
  const own = fields.filter(({ of }) => of === undefined)
  const options = fields.filter(({ of, kind, path }) => {
    const isNameAgain = kind === 'type' && own.some((field) => `${field.path}.type` === path)
    return of !== undefined && kind !== 'object' && !isNameAgain
  })
  const paths = [...new Set(options.map(({ path }) => path))]
  const parameters = [
    ...own.map(ownParameter),
    ...paths.map((path) =>
      option(
        path,
        options.filter((each) => each.path === path),
        fields,
      ),
    ),
  ]
  return Object.fromEntries(parameters.map((parameter) => [parameter.name, parameter]))
}

function ownParameter({ path: name, kind, words = [], description, schema: field }: Field): JsonObject {
  const { description: own = description, ...plain } = plainSchema(jsonSchema(field))
  const needed: JsonObject = field.safeParse(undefined).success ? {} : { required: true }
  const parameter = (schema: JsonObject) => ({ name, in: 'query', ...needed, description: own, schema })
  if (kind === 'scheme') return parameter(SCHEME_NAME)
  const schema = NAMED_FIELDS[name] ?? plain
  if (kind !== 'list') return parameter(schema)
  const [, list] = (schema.oneOf ?? []) as readonly JsonObject[] // without its word, which looks like a list of one
  return { ...parameter(words.length > 0 ? list : schema), style: 'form', explode: false }
}

/** An option that one or several types have: its schema allows what any of them allows. */
function option(path: string, alternatives: readonly Field[], fields: readonly Field[]): JsonObject {
  if (alternatives[0].kind === 'type') {
    const { description, of } = fields.find((field) => field.path === parentOf(path))!
    const schema = { type: 'string', enum: alternatives.map(({ of }) => of as string) }
    return {
      name: path,
      in: 'query',
      schema,
      description: `${description} Only where ${isOneOf(parentOf(path), [of!])}.`,
    }
  }
  const typesOf = new Map<string, string[]>()
  const schemas = alternatives.map(({ schema: field, of }) => {
    const { description = '', ...schema } = plainSchema(jsonSchema(field))
    typesOf.set(description as string, [...(typesOf.get(description as string) ?? []), of!])
    return schema
  })
  const [one, ...others] = new Map(schemas.map((schema) => [JSON.stringify(schema), schema])).values()
  return {
    name: path,
    in: 'query',
    schema: others.length === 0 ? one : plainSchema({ anyOf: [one, ...others] }),
    description: optionDescription(path, typesOf),
  }
}

/**
 * The description of an option, with its condition in words, since OpenAPI cannot make a parameter depend on another
 * one; a paragraph for each meaning.
 */
function optionDescription(path: string, typesOf: ReadonlyMap<string, readonly string[]>): string {
  const [[description, types], ...others] = typesOf
  if (others.length === 0) return `${description} Only where ${isOneOf(path, types)}.`.trim()
  return [...typesOf].map(([text, types]) => `Where ${isOneOf(path, types)}: ${text}`).join('\n\n')
}

/** The types that have an option: `position_embedding.base` → `` `position_embedding` is `sinusoidal` ``. */
function isOneOf(path: string, types: readonly string[]): string {
  const parent = parentOf(path)
  const names = types.map((type) => `\`${type}\``).join(', ')
  return `\`${parent.includes('.') ? `${parent}.type` : parent}\` is ${names.replace(/, (?=[^,]*$)/, ' or ')}`
}

function parentOf(path: string): string {
  return path.slice(0, path.lastIndexOf('.'))
}

function inPath(name: string, description: string, schema: JsonObject): JsonObject {
  return { name, in: 'path', required: true, description, schema: plainSchema(schema) }
}

function inHead(name: string, description: string, rest: JsonObject = {}): JsonObject {
  return { name, in: 'header', description, schema: TEXT, ...rest }
}

const TEXT = { type: 'string' }
const NUMBER = { type: 'integer', minimum: 0 }
const SEQUENCE = { type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER, format: 'int64' }

/** Parameters that are named for what they are; all others stand in a query string. */
const OTHERS: Schemas = {
  model_path: inPath('model', 'Id of the model.', TEXT),
  version_path: inPath('version', 'Its present version: there is no other.', {
    ...TEXT,
    pattern: '^[0-9]+$',
  }),
  dataset_path: inPath('dataset', 'Id of the dataset.', TEXT),
  document_path: inPath('document', 'Number of the document, from 0.', NUMBER),
  batch_path: inPath('batch', 'The batch, from 0.', NUMBER),
  json_length: inHead(
    'Inference-Header-Content-Length',
    'Bytes of JSON at the body’s beginning, where those of binary inputs follow; 0: the body is one text.',
    { schema: { ...NUMBER, maximum: 2147483647 } },
  ),
  if_match: inHead(
    'If-Match',
    'ETags of the tables that may be exchanged, or `*`: others are left as they are, with 412.',
  ),
  if_none_match: inHead('If-None-Match', 'ETags of what the caller has: then 304.'),
  if_version: inHead(
    'If-Match',
    '`"MODEL_VERSION"`: a step on tables of another version is refused with 412.',
  ),
  writer: inHead('X-Writer', 'Name of the writer, which counts its calls. Default: `default`.', {
    schema: { ...TEXT, pattern: '^[A-Za-z0-9._-]{1,64}$' },
  }),
  sequence: inHead(
    'X-Sequence',
    'Number of the call, from 1, one up with each gradients and steps of this writer. The same number with the same content gets the first answer again.',
    { required: true, schema: SEQUENCE },
  ),
  part: inHead('X-Part', '`i/n`: one of n parts, which are added in their order when all have come.', {
    schema: { ...TEXT, pattern: '^[1-9][0-9]{0,3}/[1-9][0-9]{0,3}$' },
  }),
  range: inHead('Range', 'One range of bytes, `bytes=0-1023`; several are answered with the whole.'),
  if_range: inHead('If-Range', 'The ETag that `Range` holds for: of another answer all comes.'),
}

/**
 * The component's name for a parameter: `scaling.factor` → `query_scaling_factor`. Some generators make a type of each
 * component, so that a parameter must not be named as a schema is.
 */
export function componentName(parameter: string): string {
  return parameter in OTHERS ? parameter : `query_${parameter.replaceAll('.', '_')}`
}

/** Query strings beside that of texts, by what their parameters' names begin with. */
const OTHER_QUERIES = {
  recipe: datasetRecipe,
  upload: datasetUpload,
  datasets: datasetList,
  gradients: gradientsQuery,
} as const

/** Names of the parameters of such a query string: one that is the same beside a text has its name there. */
export function otherParameters(query: keyof typeof OTHER_QUERIES): readonly string[] {
  const shared = queryParameters(rawTextOptions)
  return Object.entries(queryParameters(OTHER_QUERIES[query])).map(([name, parameter]) =>
    JSON.stringify(parameter) === JSON.stringify(shared[name]) ? name : `${query}.${name}`,
  )
}

/** Every parameter as a component. */
export function parameters(): Schemas {
  const queries = Object.entries(OTHER_QUERIES).flatMap(([query, schema]) =>
    Object.entries(queryParameters(schema)).map(([name, value]) => [`${query}.${name}`, value] as const),
  )
  const named = [...Object.entries(queryParameters(rawTextOptions)), ...queries].map(
    ([name, value]) => [componentName(name), value] as const,
  )
  const all = Object.fromEntries(named)
  const needed = {
    ...all.query_context_length,
    required: true,
    description: 'T: how many positions.',
  }
  return { ...OTHERS, query_context_length_needed: needed, ...all }
}
