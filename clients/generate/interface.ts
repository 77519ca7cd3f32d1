import { FUNCTIONS, isCalledByOthers, type NamedFunction, NO_ARGUMENTS } from './functions.js'

/** A schema of openapi.yaml, as far as the clients' types depend on it. */
export interface Schema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly description?: string
  readonly enum?: readonly (string | number)[]
  readonly const?: string
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly items?: Schema
  readonly additionalProperties?: boolean | Schema
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
}

interface Parameter {
  readonly $ref?: string
  readonly name: string
  readonly in: 'path' | 'query' | 'header'
  readonly required?: boolean
  readonly description?: string
  readonly schema: Schema
}

type Content = Readonly<Record<string, { readonly schema: Schema }>>

interface DocumentOperation {
  readonly summary: string
  readonly security?: readonly Readonly<Record<string, unknown>>[]
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: { readonly content: Content }
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>
}

export interface OpenApi {
  readonly openapi: string
  readonly info: unknown
  readonly paths: Readonly<Record<string, Readonly<Record<string, DocumentOperation>>>>
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>
    readonly parameters: Readonly<Record<string, Parameter>>
  }
}

export interface Field {
  /** On the wire. */
  readonly name: string
  readonly in: 'path' | 'query' | 'header' | 'body'
  readonly required: boolean
  readonly description: string
  readonly schema: Schema
}

/** A function that both clients have. */
export interface ClientFunction extends NamedFunction {
  readonly method: string
  readonly path: string
  readonly description: string
  readonly fields: readonly Field[]
  /** `text` may be bytes, which are sent as they are. */
  readonly takesRawText: boolean
  /** The body may be a safetensors file. */
  readonly takesTensors: boolean
  /** It changes nothing: asking twice is as good as asking once. */
  readonly reads: boolean
  /** Its calls have keys: one that is asked twice has its effect once. */
  readonly isKeyed: boolean
  /** Schema of the answer, where the function gives that as it is. */
  readonly answer?: string
}

const BINARY = 'application/vnd.safetensors'
/** The header of which the clients make a new value for each call that is given none. */
export const KEY = 'Idempotency-Key'

/**
 * The functions of the clients, in the order of openapi.yaml.
 *
 * @throws Error for an operation that is named neither in `FUNCTIONS` nor in `OTHERS`
 */
export function functionsOf(document: OpenApi): ClientFunction[] {
  return Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations).flatMap(([method, operation]) => {
      const named = FUNCTIONS[`${method} ${path}`]
      if (named !== undefined) return [{ ...named, ...described(document, method, path, operation) }]
      if (isCalledByOthers(method, path)) return []
      throw new Error(`clients/generate/functions.ts does not say how clients call ${method} ${path}`)
    }),
  )
}

function described(document: OpenApi, method: string, path: string, operation: DocumentOperation) {
  const { summary, security, requestBody, responses } = operation
  const content = requestBody?.content ?? {}
  const takesTensors = BINARY in content
  const [, success] = Object.entries(responses).find(([status]) => status.startsWith('2'))!
  const answer = success.content?.['application/json']?.schema
  if (answer !== undefined && answer.$ref === undefined && FUNCTIONS[`${method} ${path}`].gives === 'json') {
    throw new Error(
      `The answer of ${method} ${path} is not a schema of components: it has no name for a type`,
    )
  }
  const fields = fieldsOf(document, operation, content['application/json']?.schema, takesTensors)
  return {
    method: method.toUpperCase(),
    path,
    description: [summary, FUNCTIONS[`${method} ${path}`].about].filter(Boolean).join('. '),
    fields,
    takesRawText: 'text/plain' in content,
    takesTensors,
    reads: method === 'get' || (method !== 'delete' && !security?.some((each) => 'admin' in each)),
    isKeyed: fields.some(({ name }) => name === KEY),
    answer: answer?.$ref && refName(answer.$ref),
  }
}

/** Query strings write objects with dots: the clients take the object, and query fields that the body has too once. */
function fieldsOf(
  document: OpenApi,
  operation: DocumentOperation,
  bodySchema: Schema | undefined,
  takesTensors: boolean,
): Field[] {
  const parameters = (operation.parameters ?? [])
    .map((each) => (each.$ref ? document.components.parameters[refName(each.$ref)] : each))
    .filter(({ name }) => !name.includes('.'))
  const body = bodySchema && resolved(document, bodySchema)
  const ofBody = Object.entries(body?.properties ?? {}).map(([name, property]): Field => {
    const schema = withForms(document, property)
    const required = !takesTensors && (body!.required?.includes(name) ?? false)
    return { name, in: 'body', required, description: schema.description ?? '', schema }
  })
  const ofHead = parameters
    .filter(({ name }) => !ofBody.some((each) => each.name === name))
    .map((each): Field => {
      const { name, required = false, description = '' } = each
      // An object's options stand in the query string beside its type.
      const schema =
        name === 'position_embedding'
          ? { $ref: '#/components/schemas/PositionEmbedding' }
          : withForms(document, each.schema)
      return { name, in: each.in, required, description, schema }
    })
  return [...ofHead, ...ofBody].filter(({ name }) => !NO_ARGUMENTS.includes(name))
}

/** `If-Match` → `if_match`, `X-Request-Id` → `request_id`. */
export function argumentName({ name }: Pick<Field, 'name'>): string {
  return name.toLowerCase().replace(/^x-/, '').replaceAll('-', '_')
}

export function refName(ref: string): string {
  return ref.slice(ref.lastIndexOf('/') + 1)
}

/** A union of plain values that several fields share, as if it stood at the field: functions take its forms themselves. */
function withForms(document: OpenApi, schema: Schema): Schema {
  const { $ref, ...rest } = { ...schema, ...resolved(document, schema), ...schema }
  return rest.oneOf === undefined || rest.oneOf.some((each) => each.$ref !== undefined) ? schema : rest
}

function resolved(document: OpenApi, schema: Schema): Schema {
  return schema.$ref ? document.components.schemas[refName(schema.$ref)] : schema
}

/** Names of the schemas that these need, each after those that it needs itself. */
export function neededSchemas(document: OpenApi, roots: readonly unknown[]): string[] {
  const names = new Set<string>()
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return
    for (const [key, inner] of Object.entries(value)) {
      if (key !== '$ref') visit(inner)
      else if (!names.has(refName(inner))) {
        visit(document.components.schemas[refName(inner)])
        names.add(refName(inner))
      }
    }
  }
  for (const root of roots) visit(root)
  return [...names]
}
