import type { z } from 'zod'
import { type Field, fieldsOf } from '../src/first-layer/options/fields.js'
import type { ErrorCode } from '../src/service/answer/error-table.js'
import type { JsonObject } from '../src/service/document/components.js'
import { SHARED_PARAMETERS } from '../src/service/document/operation.js'
import type { Components } from './components.js'
import { plainSchema } from './plain-schema.js'

/** The parameters of a document, each a component once it has been asked for. */
export class Parameters {
  readonly used: Record<string, JsonObject> = {}

  constructor(
    readonly components: Components,
    readonly own: Readonly<Record<string, JsonObject>>,
  ) {}

  /** A parameter of a path or a head. @returns the name of its component, which is `name` */
  named(name: string): string {
    const { errors: _, ...parameter } = this.#declared(name)
    this.used[name] ??= plainSchema(parameter)
    return name
  }

  /** Error codes that parameters of a path or a head bring. */
  errorsOf(names: readonly string[]): ErrorCode[] {
    return names.flatMap((name) => (this.#declared(name).errors ?? []) as readonly ErrorCode[])
  }

  #declared(name: string): JsonObject {
    return this.own[name] ?? SHARED_PARAMETERS[name]
  }

  /**
   * The parameters of a query string: first its own, then the options of schemes. One that is there already
   * is used again if it is the same, or if the query has no prefix: then it is one of those beside a text. A
   * component is never named as a schema is: some generators make a type of each.
   * @returns the names of their components: `scaling.factor` → `query_scaling_factor`
   */
  query(schema: z.ZodObject, prefix?: string): string[] {
    const fields = fieldsOf(schema)
    const own = fields.filter(({ of }) => of === undefined)
    const options = fields.filter(({ of, kind, path }) => {
      const isNameAgain = kind === 'type' && own.some((field) => `${field.path}.type` === path)
      return of !== undefined && kind !== 'object' && !isNameAgain
    })
    const paths = [...new Set(options.map(({ path }) => path))]
    const optionsOf = (path: string) => options.filter((each) => each.path === path)
    const all = [
      ...own.map((field) => this.#own(field)),
      ...paths.map((path) => this.#option(optionsOf(path), fields)),
    ]
    return all.map((parameter) => {
      const name = parameterName(parameter.name as string)
      if (prefix === undefined) this.used[name] ??= parameter
      const there = this.used[name]
      const isThere =
        prefix === undefined
          ? parameter.required === there.required
          : JSON.stringify(there) === JSON.stringify(parameter)
      if (isThere) return name
      const other = prefix === undefined ? `${name}_needed` : parameterName(`${prefix}.${parameter.name}`)
      this.used[other] = parameter
      return other
    })
  }

  #own({ path: name, kind, words = [], members, schema: field, ...rest }: Field): JsonObject {
    const { description = rest.description, ...schema } = this.components.input(field)
    const needed: JsonObject = field.safeParse(undefined).success ? {} : { required: true }
    const parameter = (schema: JsonObject) => ({ name, in: 'query', ...needed, description, schema })
    if (kind === 'scheme') return parameter({ type: 'string', enum: [...members!.keys()] })
    if (kind !== 'list') return parameter(schema)
    const [, list] = (this.components.resolved(schema).oneOf ?? []) as readonly JsonObject[]
    // Without its word, which looks like a list of one.
    return { ...parameter(words.length > 0 ? list : schema), style: 'form', explode: false }
  }

  /**
   * An option that one or several types have: its schema allows what any of them allows. OpenAPI cannot make
   * a parameter depend on another one: the description says it, in a paragraph for each meaning.
   */
  #option(alternatives: readonly Field[], fields: readonly Field[]): JsonObject {
    const [{ path, kind }] = alternatives
    const parameter = (schema: JsonObject, description: string) => ({
      name: path,
      in: 'query',
      schema,
      description,
    })
    if (kind === 'type') {
      const { description, of } = fields.find((field) => field.path === parentOf(path))!
      const schema = { type: 'string', enum: alternatives.map(({ of }) => of!) }
      return parameter(schema, `${description} Only where ${isOneOf(parentOf(path), [of!])}.`)
    }
    const typesOf = new Map<string, string[]>()
    const schemas = new Map<string, JsonObject>()
    for (const { schema: field, of } of alternatives) {
      const { description, ...schema } = this.components.input(field)
      schemas.set(JSON.stringify(schema), schema)
      typesOf.set(`${description ?? ''}`, [...(typesOf.get(`${description ?? ''}`) ?? []), of!])
    }
    const [one, ...others] = schemas.values()
    const schema = others.length === 0 ? one : plainSchema({ anyOf: [one, ...others] })
    const meanings = Array.from(typesOf, ([text, types]) => [text, isOneOf(path, types)] as const)
    if (meanings.length > 1)
      return parameter(schema, meanings.map(([text, where]) => `Where ${where}: ${text}`).join('\n\n'))
    const [[text, where]] = meanings
    return parameter(schema, `${text} Only where ${where}.`.trim())
  }
}

const parameterName = (name: string) => `query_${name.replaceAll('.', '_')}`
const parentOf = (path: string) => path.slice(0, path.lastIndexOf('.'))

/** The types that have an option: `position_embedding.base` → `` `position_embedding` is `sinusoidal` ``. */
function isOneOf(path: string, types: readonly string[]): string {
  const parent = parentOf(path)
  const names = types.map((type) => `\`${type}\``).join(', ')
  return `\`${parent.includes('.') ? `${parent}.type` : parent}\` is ${names.replace(/, (?=[^,]*$)/, ' or ')}`
}
