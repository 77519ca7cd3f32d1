import { z } from 'zod'
import { positionSchemes } from '../embeddings/positions/registry.js'
import { optionFields } from '../wire/schemas/embedding-request.js'
import { nameLists } from '../wire/schemas/names-field.js'
import { UsageError } from './exit.js'
import type { Flag } from './flags.js'

const POSITION = 'position_embedding'

/** The fields of the interface as flags: `context_length` → `--context-length N`. */
export const optionFlags: readonly Flag[] = Object.entries(optionFields).map(([field, schema]) =>
  flagOf(field, schema),
)

/** The options of all position schemes: `--position-embedding.head-dim`. */
export const positionFlags: readonly Flag[] = [...positionPaths()].map((path) => ({
  name: kebab(`${POSITION}.${path}`),
  value: 'VALUE',
  doc: 'Option of the position scheme.',
  hidden: true,
}))

/**
 * Flags as the query string of `POST /v1/input-embeddings`: `context-length` → 4, `outputs` → `input_ids` gives
 * `context_length=4&outputs=input_ids`. The service checks the values.
 *
 * @throws UsageError for a `--position-embedding` that starts like JSON and is not
 */
export function optionQuery(values: ReadonlyMap<string, string>): string {
  const query = new URLSearchParams()
  for (const { name } of [...optionFlags, ...positionFlags]) {
    const text = values.get(name)
    if (text === undefined) continue
    const field = snake(name)
    if (field === POSITION && text.startsWith('{')) append(query, POSITION, json(text))
    else query.append(field, text)
  }
  return query.toString()
}

function flagOf(field: string, schema: z.ZodType): Flag {
  const inner = unwrapped(schema)
  const doc = (schema.description ?? '').replace(/`(\w+)`/g, (_, name: string) =>
    name in optionFields ? `--${kebab(name)}` : name,
  )
  if (inner instanceof z.ZodBoolean) return { name: kebab(field), doc }
  return { name: kebab(field), doc, value: valueName(field, inner), list: isList(inner) }
}

function valueName(field: string, schema: z.core.$ZodType): string {
  if (field === POSITION) return 'TYPE|JSON'
  if (schema instanceof z.ZodNumber || field === 'seed') return 'N'
  if (isList(schema)) return 'A,B'
  const words = schema instanceof z.ZodEnum ? schema.options.join('|') : ''
  return words !== '' && words.length <= 24 ? words : 'NAME'
}

function isList(schema: z.core.$ZodType): boolean {
  return nameLists.has(schema)
}

function unwrapped(schema: z.core.$ZodType): z.core.$ZodType {
  return schema instanceof z.ZodDefault || schema instanceof z.ZodOptional
    ? unwrapped(schema.unwrap())
    : schema
}

/** The option paths of all schemes, each once: `head_dim`, `scaling.factor`, … */
function positionPaths(): Set<string> {
  return new Set(['type', ...positionSchemes.flatMap(({ options }) => paths(options))])
}

function paths(schema: z.core.$ZodType, prefix = ''): string[] {
  const inner = unwrapped(schema)
  if (inner instanceof z.ZodUnion) return inner.options.flatMap((option) => objectPaths(option, prefix))
  return objectPaths(inner, prefix)
}

function objectPaths(schema: z.core.$ZodType, prefix: string): string[] {
  if (!(schema instanceof z.ZodObject)) return [prefix]
  return Object.entries(schema.shape as Record<string, z.core.$ZodType>).flatMap(([key, value]) =>
    paths(value, prefix === '' ? key : `${prefix}.${key}`),
  )
}

/** Appends a value to the query; an object becomes one parameter for each of its paths, with dots. */
function append(query: URLSearchParams, path: string, value: unknown): void {
  if (typeof value !== 'object' || value === null) query.append(path, String(value))
  else for (const [key, inner] of Object.entries(value)) append(query, `${path}.${key}`, inner)
}

function json(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new UsageError(`--position-embedding must be a type or a JSON object. Given: ${text}`)
  }
}

function kebab(field: string): string {
  return field.replaceAll('_', '-')
}

function snake(name: string): string {
  return name.replaceAll('-', '_')
}
