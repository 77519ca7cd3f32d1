import openapiTS, { astToString } from 'openapi-typescript'
import ts from 'typescript'
import {
  argumentName,
  type ClientFunction,
  type Field,
  KEY,
  neededSchemas,
  type OpenApi,
  type Schema,
} from './interface.js'

const GENERATED = '// Made from openapi.yaml by clients/generate. Do not edit.'

/** Fields that take more than JSON has: typed arrays, and integers of 64 bits. */
const WIDER: Readonly<Record<string, string>> = {
  input_ids: 'Ids',
  token_type_ids: 'Ids',
  vector: 'Numbers',
  seed: 'Integer',
}

/** A schema that becomes a type of the package's own. */
type OwnType = Schema & { readonly 'x-type'?: string }

/** `types.ts`: what openapi-typescript makes of the schemas, and of each function's fields as one object. */
export async function typescriptTypesModule(
  document: OpenApi,
  functions: readonly ClientFunction[],
): Promise<string> {
  const fields = functions
    .filter((each) => bodyFields(each).length > 0)
    .map((each) => [fieldsName(each), fieldsSchema(each)] as const)
  const answers = functions
    .filter(({ gives }) => gives === 'json' || gives === 'vectors')
    .map(({ answer }) => ({ $ref: answer ?? '' }))
  const names = neededSchemas(document, [...fields, ...answers.filter(({ $ref }) => $ref !== '')])
  const schemas = Object.fromEntries([
    ...names.map((name) => [name, withOwnTypes(document.components.schemas[name])]),
    ...fields,
  ])
  const source = { openapi: document.openapi, info: document.info, paths: {}, components: { schemas } }
  const nodes = await openapiTS(structuredClone(source) as never, {
    // it writes into what it is given
    silent: true,
    defaultNonNullable: false,
    rootTypes: true,
    rootTypesNoSchemaPrefix: true,
    transform: (schema) => {
      const name = (schema as OwnType)['x-type']
      return name === undefined ? undefined : ts.factory.createTypeReferenceNode(name)
    },
    inject: "import type { Ids, Integer, Numbers, Text } from './values.js'",
  })
  return `${GENERATED}\n${astToString(nodes)}`
}

/** Fields that JavaScript has no use for: its numbers hold ids of either type. */
const NO_FIELDS: readonly string[] = ['ids_dtype']

/** Fields that are neither in the path nor in the head. */
function bodyFields({ fields }: ClientFunction): Field[] {
  return fields.filter(
    (field) => (field.in === 'query' || field.in === 'body') && !NO_FIELDS.includes(field.name),
  )
}

function fieldsName({ name }: ClientFunction): string {
  return `${pascal(name)}Fields`
}

function fieldsSchema(operation: ClientFunction): Schema {
  const fields = bodyFields(operation)
  const properties = fields.map(({ name, schema, description }) => {
    const type = operation.takesRawText && name === 'text' ? 'Text' : WIDER[name]
    return [name, { ...schema, description, ...(type && { 'x-type': type }) }]
  })
  return {
    type: 'object',
    properties: Object.fromEntries(properties),
    required: fields.filter(({ required }) => required).map(({ name }) => name),
    additionalProperties: false,
  }
}

/** Schemas below a field, of which one has a seed. */
function withOwnTypes(schema: Schema): Schema {
  const properties = Object.entries(schema.properties ?? {}).map(([name, each]): [string, OwnType] => [
    name,
    name === 'seed' && schema.required?.includes('type') ? { ...each, 'x-type': 'Integer' } : each,
  ])
  return schema.properties ? { ...schema, properties: Object.fromEntries(properties) } : schema
}

/** `operations.ts`: a method for each operation. */
export function typescriptOperationsModule(functions: readonly ClientFunction[]): string {
  const methods = functions.map(method).join('\n\n')
  const types = functions.flatMap((each) => [
    fieldsName(each),
    each.gives === 'json' ? (each.answer ?? '') : '',
  ])
  const used = [...new Set(types)]
    .filter((name) => name !== '' && new RegExp(`\\b${name}\\b`).test(methods))
    .sort()
  return `${GENERATED}
import { Asking, type CallOptions } from './asking.js'
import type { Embeddings, Tensors } from './tensors.js'
import type {
${used.map((name) => `  ${name},`).join('\n')}
} from './types.js'
import { newKey, type TensorFile } from './values.js'

/** One method for each operation of the service. */
export abstract class Operations extends Asking {
${methods}
}
`
}

function method(operation: ClientFunction): string {
  const { name, gives, answer, description, takesTensors } = operation
  const returns = {
    batches: undefined, // clients/typescript/src/client.ts has them
    tensors: 'Tensors',
    vectors: 'Embeddings',
    text: 'string',
    json: answer?.split('/').at(-1),
  }[gives]
  return `  /** ${description} */
  ${camel(name)}(${[...argumentsOf(operation), 'options: CallOptions = {}'].join(', ')}): Promise<${returns ?? 'void'}> {
    return this.${gives}({ ${requestOf(operation, takesTensors)} }, options)
  }`
}

function argumentsOf(operation: ClientFunction): string[] {
  const { fields, takesTensors } = operation
  const inPath = fields.filter((field) => field.in === 'path').map(({ name }) => `${name}: string`)
  const others = bodyFields(operation)
  const head = fields.filter((field) => field.in === 'header')
  const ofHead = head.map((field) => {
    const type = field.schema.type === 'integer' ? 'number' : 'string'
    return `${argumentName(field)}${field.required ? '' : '?'}: ${type}`
  })
  const inBody = fields.some((field) => field.in === 'body')
  const [only, beside] = inBody ? [[], ['tensors?: TensorFile']] : [['tensors: TensorFile'], []]
  const needed = others.some(({ required }) => required) || operation.takesRawText
  const needsFields = others.length > 0 ? [`fields: ${fieldsName(operation)}${needed ? '' : ' = {}'}`] : []
  return [
    ...inPath,
    ...(takesTensors ? only : []),
    ...needsFields,
    ...(takesTensors ? beside : []),
    ...(head.length > 0
      ? [`conditions: { ${ofHead.join('; ')} }${head.some(({ required }) => required) ? '' : ' = {}'}`]
      : []),
  ]
}

function requestOf(
  { method, path, fields, takesRawText, reads, isKeyed }: ClientFunction,
  takesTensors: boolean,
): string {
  const has = (place: Field['in']) => fields.some((field) => field.in === place)
  const target = path.includes('{')
    ? `\`${path.replaceAll(/\{(\w+)\}/g, (_, name) => `\${encodeURIComponent(${name})}`)}\``
    : `'${path}'`
  const head = fields
    .filter((field) => field.in === 'header')
    .map((field) => {
      const given = `conditions.${argumentName(field)}`
      return `'${field.name}': ${given}${field.name === KEY ? ' ?? newKey()' : ''}`
    })
  return [
    `method: '${method}'`,
    `path: ${target}`,
    ...(has('query') ? ['query: fields'] : []),
    ...(has('body') ? ['body: fields'] : []),
    ...(takesRawText ? ["raw: 'text'"] : []),
    ...(takesTensors ? ['tensors'] : []),
    ...(head.length > 0 ? [`headers: { ${head.join(', ')} }`] : []),
    ...(reads || isKeyed ? [] : ['repeat: false']),
  ].join(', ')
}

function pascal(name: string): string {
  return name.replaceAll(/(?:^|_)(\w)/g, (_, first: string) => first.toUpperCase())
}

/** `input_embeddings` → `inputEmbeddings`. */
export function camel(name: string): string {
  return name.replaceAll(/_(\w)/g, (_, first: string) => first.toUpperCase())
}
