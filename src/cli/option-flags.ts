import { InletError } from '../errors.js'
import { MAX_DEPTH } from '../wire/json/json-bounds.js'
import { queryReader } from '../wire/query.js'
import { rawTextOptions } from '../wire/schemas/embedding-request.js'
import { type Field, type FieldKind, fieldsOf } from '../wire/schemas/fields.js'
import type { Flag } from './command.js'
import { UsageError } from './exit.js'

const VALUE_NAMES: Partial<Record<FieldKind, string>> = {
  scheme: 'TYPE|JSON',
  integer: 'N',
  number: 'N',
  long_integer: 'N',
  list: 'A,B',
}

/** The fields of the interface by their flags' names; an option that several schemes have stands there once. */
const described = new Map(
  fieldsOf(rawTextOptions)
    .filter(({ kind }) => kind !== 'object')
    .map((field) => [kebab(field.path), field]),
)

/** The fields of the interface as flags: `context_length` → `--context-length N`. */
export const optionFlags: readonly Flag[] = [...described.values()]
  .filter(({ of }) => of === undefined)
  .map(flagOf)

/** The options of all position schemes: `--position-embedding.head-dim`. */
export const schemeFlags: readonly Flag[] = [...described]
  .filter(([, { of }]) => of !== undefined)
  .map(([name]) => ({ name, value: 'VALUE', doc: 'Option of the position scheme.', hidden: true }))

/**
 * Flags as the query string of `POST /v1/input-embeddings`: `context-length` → 4, `outputs` → `input_ids` gives
 * `context_length=4&outputs=input_ids`. The service checks the values.
 *
 * @throws UsageError for a scheme that starts like JSON and is not
 */
export function optionQuery(values: ReadonlyMap<string, string>): string {
  const query = new URLSearchParams()
  for (const [name, { path, kind }] of described) {
    const text = values.get(name)
    if (text === undefined) continue
    if (kind === 'scheme' && text.startsWith('{')) append(query, path, json(name, text))
    else query.append(path, text)
  }
  return query.toString()
}

/** Checks the values before a text is read. @throws UsageError that names the flag, the rule and the value given */
export function checkOptions(query: string): void {
  try {
    readQuery(query)
  } catch (error) {
    if (!(error instanceof InletError)) throw error
    throw new UsageError(withFlags(error.message))
  }
}

const readQuery = queryReader(rawTextOptions)

/** Fields in backticks as the flags that they are: `context_length` → `--context-length`. */
function withFlags(text: string): string {
  return text.replace(/`([\w.]+)`/g, (whole, field: string) =>
    described.has(kebab(field)) ? `--${kebab(field)}` : whole,
  )
}

function flagOf({ path, kind, words = [], description }: Field): Flag {
  const name = kebab(path)
  const doc = description.replace(/`(\w+)`/g, (_, field: string) =>
    described.has(kebab(field)) ? `--${kebab(field)}` : field,
  )
  if (kind === 'boolean') return { name, doc }
  const choice = words.join('|')
  const value = VALUE_NAMES[kind] ?? (choice !== '' && choice.length <= 24 ? choice : 'NAME')
  return { name, doc, value, list: kind === 'list' }
}

/**
 * Appends a value to the query; an object becomes one parameter for each of its paths, with dots. An empty one, and one
 * that is nested too deep, are given as texts, which the service refuses.
 */
function append(query: URLSearchParams, path: string, value: unknown, depth = 1): void {
  const members = typeof value === 'object' && value !== null ? Object.entries(value) : undefined
  if (members === undefined) query.append(path, String(value))
  else if (members.length === 0 || depth > MAX_DEPTH) query.append(path, '{}')
  else for (const [key, inner] of members) append(query, `${path}.${key}`, inner, depth + 1)
}

function json(flag: string, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new UsageError(`--${flag} must be a type or a JSON object. Given: ${text}`)
  }
}

function kebab(path: string): string {
  return path.replaceAll('_', '-')
}
