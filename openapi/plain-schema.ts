import type { Json, JsonObject } from '../src/service/document/components.js'

const INT32 = 2 ** 31 - 1

/**
 * A JSON Schema as zod writes it, in the forms that generators of clients take:
 *
 * - a default is a sentence of the description: as a keyword, some generators send it with each request, and some make
 *   its field one that must be given; a constant that is no string is a sentence too;
 * - an integer beyond 32 bits is `format: int64`: without it, generators count in 32 bits;
 * - a value has one type; several are a union, and only null stands beside a type;
 * - a union of texts, numbers and lists of them is `oneOf`: of `anyOf` some generators make a class without fields; one with
 *   objects is `anyOf`: of `oneOf` some generators make code that does not compile;
 * - a union of a text and a list of lists is one of a text and a list: of lists in it some generators make code that does not compile,
 *   and without a title Rust's names a variant as no variant may be named;
 * - a union of enums is one enum.
 */
export function plainSchema<Value extends Json>(value: Value): Value {
  if (Array.isArray(value)) return value.map((item) => plainSchema(item)) as Json as Value
  if (typeof value !== 'object' || value === null) return value
  const { default: initial, propertyNames: _, ...keywords } = value as JsonObject
  const inner = Object.entries(keywords).map(([key, item]) => [key, below(key, item)] as const)
  const schema = wideInteger(oneUnion(oneType(Object.fromEntries(inner))))
  return (initial === undefined ? named(schema) : said(named(schema), 'Default', initial)) as Value
}

/** The value of a keyword: names of properties are no keywords, and values of an enum no schemas. */
function below(key: string, value: Json): Json {
  if (key === 'properties') {
    const properties = Object.entries(value as JsonObject)
    return Object.fromEntries(
      properties.map(([name, each]) => [name, noNull(plainSchema(each) as JsonObject)]),
    )
  }
  if (key === 'additionalProperties' && typeof value === 'object' && isEmpty(value as JsonObject)) return true
  return key === 'enum' || key === 'discriminator' ? value : plainSchema(value)
}

/** For a field that is only null some generators make code that does not compile. */
const noNull = (schema: JsonObject) => {
  const { type, ...rest } = schema
  return type === 'null' ? said(rest, 'Always', null) : schema
}

const isEmpty = (object: JsonObject) => Object.keys(object).length === 0

/** The schema with a sentence about a value: "Which pass over the loader, from 0. Default: `0`." */
function said({ description, ...schema }: JsonObject, what: string, value: Json): JsonObject {
  const sentence = `${what}: \`${typeof value === 'string' ? value : JSON.stringify(value)}\`.`
  return { description: description === undefined ? sentence : `${description} ${sentence}`, ...schema }
}

/** `{ type: 'boolean', const: true }` → `{ type: 'boolean', description: 'Always: `true`.' }`. */
function named(schema: JsonObject): JsonObject {
  const { const: value, ...rest } = schema
  return value === undefined || typeof value === 'string' ? schema : said(rest, 'Always', value)
}

/** `{ type: ['string', 'number'] }` → `{ oneOf: [{ type: 'string' }, { type: 'number' }] }`. */
function oneType(schema: JsonObject): JsonObject {
  const { type, ...rest } = schema
  if (!Array.isArray(type) || type.filter((each) => each !== 'null').length === 1) return schema
  return { ...rest, oneOf: type.map((each) => wideInteger({ type: each })) }
}

/**
 * `{ anyOf: [{ enum: [a, b] }, { enum: [b, c] }] }` → `{ enum: [a, b, c] }`;
 * `{ anyOf: [{ type: 'integer' }, { type: 'null' }] }` → `{ type: ['integer', 'null'] }`.
 */
function oneUnion(schema: JsonObject): JsonObject {
  const { anyOf, ...rest } = schema
  if (!Array.isArray(anyOf)) return schema
  const isTextOrList = anyOf.length === 2 && anyOf[0]!.type === 'string'
  const members = (anyOf as JsonObject[]).map(
    (each): JsonObject =>
      isTextOrList && isListOfLists(each) ? { ...each, title: 'Lists', items: {} } : each,
  )
  const [first, second] = members
  if (members.every((each) => each.enum !== undefined && each.type === first.type)) {
    return { ...first, ...rest, enum: [...new Set(members.flatMap((each) => each.enum as Json[]))] }
  }
  const isOrNull = members.length === 2 && second.type === 'null'
  const isScalar = ['string', 'integer', 'number', 'boolean'].includes(first.type as string) && !first.enum
  if (isOrNull && isScalar) return { ...first, ...rest, type: [first.type, 'null'] }
  const hasObjects = members.some((each) => '$ref' in each || /"(any|one)Of":/.test(JSON.stringify(each)))
  return { ...rest, [hasObjects && !isOrNull ? 'anyOf' : 'oneOf']: members }
}

const isListOfLists = ({ items }: JsonObject) => (items as JsonObject | undefined)?.type === 'array'

function wideInteger(schema: JsonObject): JsonObject {
  const { type, minimum = 0, maximum = Number.POSITIVE_INFINITY } = schema as Record<string, number>
  if (![type].flat().includes('integer' as never)) return schema
  return Math.max(-minimum, maximum) > INT32 ? { ...schema, format: 'int64' } : schema
}
