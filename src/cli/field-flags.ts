import { InletError } from '../first-layer/errors.js'
import { MAX_DEPTH } from '../first-layer/json.js'
import type { Field, FieldKind } from '../first-layer/options/fields.js'
import { type Flag, UsageError } from './program.js'

const VALUE_NAMES: Partial<Record<FieldKind, string>> = {
  scheme: 'TYPE|JSON',
  integer: 'N',
  number: 'N',
  long_integer: 'N',
  list: 'A,B',
}

/** Fields of an interface as flags: `context_length` → `--context-length N`. */
export class FieldFlags {
  /** The fields by their flags' names; an option of several schemes is there once. */
  readonly #described: ReadonlyMap<string, Field>
  /** The flags of all fields, without the options of schemes. */
  readonly flags: readonly Flag[]
  /** The options of all schemes: `--position-embedding.head-dim`. */
  readonly schemeFlags: readonly Flag[]

  constructor(fields: readonly Field[]) {
    const plain = fields.filter(({ kind }) => kind !== 'object')
    this.#described = new Map(plain.map((field) => [kebab(field.path), field]))
    const described = [...this.#described]
    this.flags = described.filter(([, { of }]) => of === undefined).map(([, field]) => this.#flagOf(field))
    this.schemeFlags = described
      .filter(([, { of }]) => of !== undefined)
      .map(([name]) => ({ name, value: 'VALUE', doc: 'Option of the position scheme.', hidden: true }))
  }

  /**
   * Flags as a query string: `context-length` → 4, `outputs` → `input_ids` gives `context_length=4&outputs=input_ids`.
   * The service checks the values. @throws UsageError for a scheme that starts like JSON and is not
   */
  query(values: ReadonlyMap<string, string>): string {
    const query = new URLSearchParams()
    for (const [name, { path, kind }] of this.#described) {
      const text = values.get(name)
      if (text === undefined) continue
      if (kind === 'scheme' && text.startsWith('{')) append(query, path, json(name, text))
      else query.append(path, text)
    }
    return query.toString()
  }

  /** Runs a check of the query. @throws UsageError that names the flag, the rule and the value given */
  checked<T>(check: () => T): T {
    try {
      return check()
    } catch (error) {
      if (!(error instanceof InletError)) throw error
      throw new UsageError(this.named(error.message))
    }
  }

  /** A message with flags in place of their fields: `` `tail` "pad" `` → `--tail "pad"`. */
  named(message: string): string {
    return message.replace(/`(\w+)((?:\.\w+)*)`/g, (whole, field: string, inner: string) => {
      const own = this.#flagNamed(field)
      const isElement = /^\.\d+$/.test(inner) // of a list, which is one flag
      return this.#flagNamed(field + inner) ?? (own === undefined ? whole : isElement ? own : own + inner)
    })
  }

  #flagOf({ path, kind, words = [], description }: Field): Flag {
    const name = kebab(path)
    const doc = description.replace(/`(\w+)`/g, (_, field: string) => this.#flagNamed(field) ?? field)
    if (kind === 'boolean') return { name, doc }
    const choice = words.join('|')
    const value = VALUE_NAMES[kind] ?? (choice !== '' && choice.length <= 24 ? choice : 'NAME')
    return { name, doc, value, list: kind === 'list' }
  }

  /** `context_length` → `--context-length`. */
  #flagNamed(field: string): string | undefined {
    return this.#described.has(kebab(field)) ? `--${kebab(field)}` : undefined
  }
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
