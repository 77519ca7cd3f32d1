import { describe, expect, it } from 'vitest'
import { plainSchema } from '../../../openapi/plain-schema.js'
import type { Json, JsonObject } from '../../../src/service/document/components.js'
import { DOCUMENT } from './documented.js'

interface Place {
  readonly path: string
  readonly schema: JsonObject
}

const KEYWORDS = ['items', 'additionalProperties', 'anyOf', 'oneOf', 'schema']

/** Every schema of the document, with those below it. */
function schemasBelow(value: Json, path: string, isSchema: boolean): Place[] {
  if (typeof value !== 'object' || value === null) return []
  if (Array.isArray(value)) return value.flatMap((each, i) => schemasBelow(each, `${path}/${i}`, isSchema))
  const own = isSchema ? [{ path, schema: value as JsonObject }] : []
  const inner = Object.entries(value).flatMap(([key, item]) => {
    if (key === 'examples') return []
    if (key === 'properties' || path === '/components/schemas') {
      return Object.entries(key === 'properties' ? (item as JsonObject) : { [key]: item as Json }).flatMap(
        ([name, each]) => schemasBelow(each, `${path}/${name}`, true),
      )
    }
    return schemasBelow(item, `${path}/${key}`, KEYWORDS.includes(key))
  })
  return [...own, ...inner]
}

const all = schemasBelow(DOCUMENT, '', false)
const pathsOf = (isAsked: (schema: JsonObject) => boolean) =>
  all.filter(({ schema }) => isAsked(schema)).map(({ path }) => path)

describe('schemas of openapi.yaml, in the forms that generators of clients take', () => {
  it('are many', () => {
    expect(all.length).toBeGreaterThan(500)
  })

  it('have no default as a keyword, which generated clients would send, or would ask for', () => {
    expect(pathsOf((schema) => 'default' in schema)).toEqual([])
  })

  it('have no rule between fields, which few generators take', () => {
    const rules = ['not', 'allOf', 'if', 'dependentRequired', 'dependentSchemas', 'propertyNames']
    expect(pathsOf((schema) => rules.some((rule) => rule in schema))).toEqual([])
    expect(pathsOf((schema) => 'required' in schema && !('properties' in schema))).toEqual([])
  })

  it('have 64 bits where an integer may have more than 32', () => {
    const wide = ({ minimum = 0, maximum = Number.POSITIVE_INFINITY }: JsonObject) =>
      Number(maximum) >= 2 ** 31 || Number(minimum) < -(2 ** 31)
    const isInteger = ({ type }: JsonObject) => [type].flat().includes('integer')
    expect(pathsOf((schema) => isInteger(schema) && wide(schema) !== (schema.format === 'int64'))).toEqual([])
  })

  it('have one type, and null beside it at most', () => {
    expect(pathsOf(({ type }) => Array.isArray(type) && (type.length !== 2 || type[1] !== 'null'))).toEqual(
      [],
    )
  })

  it('have `oneOf` for texts, numbers and lists, of which `anyOf` would be a class without fields', () => {
    const isPlain = (each: Json) =>
      !/"(\$ref|anyOf|oneOf)":"?(?!#\/components\/schemas\/TokenId)/.test(JSON.stringify(each))
    expect(pathsOf(({ anyOf }) => Array.isArray(anyOf) && anyOf.every(isPlain))).toEqual([])
  })

  it('have constants that are strings alone', () => {
    expect(pathsOf((schema) => 'const' in schema && typeof schema.const !== 'string')).toEqual([])
  })

  it('have each value of an enum once', () => {
    const doubled = (values: Json) => Array.isArray(values) && new Set(values).size < values.length
    const isEnums = ({ oneOf }: JsonObject) =>
      Array.isArray(oneOf) && oneOf.every((each) => (each as JsonObject).enum !== undefined)
    expect(pathsOf((schema) => doubled(schema.enum) || isEnums(schema))).toEqual([])
  })

  it('have a name of their own where they are objects with fields', () => {
    const isInline = ({ path, schema }: Place) =>
      Object.keys((schema.properties ?? {}) as object).length > 0 && path.split('/').length > 4
    expect(all.filter(isInline).map(({ path }) => path)).toEqual([])
  })

  it('are named as no parameter, and no value of two named enums is the same', () => {
    const { schemas, parameters } = DOCUMENT.components as Record<string, Record<string, JsonObject>>
    const plain = (name: string) => name.replaceAll(/[^a-z0-9]/gi, '').toLowerCase()
    const names = [...Object.keys(schemas), ...Object.keys(parameters)].map(plain)
    expect(names.filter((name, i) => names.indexOf(name) < i)).toEqual([])
    const values = Object.values(schemas).flatMap((schema) => (schema.enum ?? []) as string[])
    expect(values.filter((value, i) => values.indexOf(value) < i)).toEqual([])
  })
})

describe('a schema of zod’s', () => {
  it.each<[string, JsonObject, JsonObject]>([
    [
      'a default',
      { type: 'integer', maximum: 9, default: 0 },
      { description: 'Default: `0`.', type: 'integer', maximum: 9 },
    ],
    [
      'a default beside a description',
      { description: 'Its type.', type: 'string', default: 'float32' },
      { description: 'Its type. Default: `float32`.', type: 'string' },
    ],
    ['a wide integer', { type: 'integer', minimum: 0 }, { type: 'integer', minimum: 0, format: 'int64' }],
    [
      'two types',
      { type: ['integer', 'string'] },
      { oneOf: [{ type: 'integer', format: 'int64' }, { type: 'string' }] },
    ],
    ['a type and null', { anyOf: [{ type: 'string' }, { type: 'null' }] }, { type: ['string', 'null'] }],
    [
      'two enums',
      {
        anyOf: [
          { type: 'string', enum: ['a', 'b'] },
          { type: 'string', enum: ['b', 'c'] },
        ],
      },
      { type: 'string', enum: ['a', 'b', 'c'] },
    ],
    ['a constant', { type: 'boolean', const: true }, { description: 'Always: `true`.', type: 'boolean' }],
    [
      'a field named as a keyword',
      { type: 'object', properties: { default: { type: 'string' }, type: { type: 'string', const: 'a' } } },
      { type: 'object', properties: { default: { type: 'string' }, type: { type: 'string', const: 'a' } } },
    ],
  ])('has its plain form: %s', (_, schema, plain) => {
    expect(plainSchema(schema)).toEqual(plain)
  })
})
