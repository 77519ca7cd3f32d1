import type { z } from 'zod'
import { InletError } from '../first-layer/errors.js'
import { type Field, type FieldKind, fieldsOf } from '../first-layer/options/fields.js'
import { MAX_DEPTH, type NamedText, textReader } from '../first-layer/options/query.js'
import { type Flag, UsageError } from './program.js'

const VALUE_NAMES: Partial<Record<FieldKind, string>> = {
  scheme: 'TYPE|JSON',
  integer: 'N',
  number: 'N',
  long_integer: 'N',
  list: 'A,B',
}

/** A flag by its name: `context-length`, `position-embedding.head-dim`. */
type FieldFlag = Flag & { readonly name: string }

/** Fields of an interface as flags: `context_length` → `--context-length N`. */
export class FieldFlags<S extends z.ZodObject> {
  /** The fields by their flags' names; an option of several schemes is there once. */
  readonly #described: ReadonlyMap<string, Field>
  readonly #read: (fields: readonly NamedText[]) => z.output<S>
  /** The flags of all fields, without the options of schemes. */
  readonly flags: readonly FieldFlag[]
  /** The options of all schemes: `--position-embedding.head-dim`. */
  readonly schemeFlags: readonly FieldFlag[]

  /** @param only the fields that are flags. Default: all */
  constructor(schema: S, only?: readonly string[]) {
    const plain = fieldsOf(schema).filter(
      ({ kind, path }) => kind !== 'object' && (only?.includes(path) ?? true),
    )
    this.#described = new Map(plain.map((field) => [kebab(field.path), field]))
    this.#read = textReader(schema)
    const described = [...this.#described]
    this.flags = described.filter(([, { of }]) => of === undefined).map(([, field]) => this.#flagOf(field))
    this.schemeFlags = described
      .filter(([, { of }]) => of !== undefined)
      .map(([name]) => {
        return { name, notation: `--${name} <VALUE>`, doc: 'Option of the position scheme.', hidden: true }
      })
  }

  /** Flags as a query string: `context-length` → 4, `outputs` → `input_ids` gives `context_length=4&outputs=input_ids`. */
  query(values: ReadonlyMap<string, string>): string {
    return new URLSearchParams(this.#fields(values) as [string, string][]).toString()
  }

  /**
   * The fields' values.
   * @param check what they must keep beside the schema
   * @throws UsageError that names the flag, the rule and the value given
   */
  read(values: ReadonlyMap<string, string>, check: (given: z.output<S>) => void = () => {}): z.output<S> {
    return this.checked(() => {
      const given = this.#read(this.#fields(values))
      check(given)
      return given
    })
  }

  /** @throws UsageError for a scheme that starts like JSON and is not */
  #fields(values: ReadonlyMap<string, string>): readonly NamedText[] {
    return [...this.#described].flatMap(([name, { path, kind }]) => {
      const text = values.get(name)
      if (text === undefined) return []
      return kind === 'scheme' && text.startsWith('{') ? flattened(path, json(name, text)) : [[path, text]]
    })
  }

  /** Runs a check of fields. @throws UsageError that names the flag, the rule and the value given */
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

  #flagOf({ path, kind, words = [], description }: Field): FieldFlag {
    const name = kebab(path)
    const told = (_: string, word: string) => (words.includes(word) ? word : (this.#flagNamed(word) ?? word))
    const doc = description.replace(/`(\w+)`/g, told)
    if (kind === 'boolean') return { name, notation: `--${name}`, doc }
    const choice = words.join('|')
    const value = VALUE_NAMES[kind] ?? (choice !== '' && choice.length <= 24 ? choice : 'NAME')
    return { name, notation: `--${name} <${value}>`, doc, list: kind === 'list' }
  }

  /** `context_length` → `--context-length`. */
  #flagNamed(field: string): string | undefined {
    return this.#described.has(kebab(field)) ? `--${kebab(field)}` : undefined
  }
}

/**
 * A value as fields: an object becomes one for each of its paths, with dots. An empty one, and one that is nested too deep,
 * are texts, which the schema refuses.
 */
function flattened(path: string, value: unknown, depth = 1): NamedText[] {
  const members = typeof value === 'object' && value !== null ? Object.entries(value) : undefined
  if (members === undefined) return [[path, String(value)]]
  if (members.length === 0 || depth > MAX_DEPTH) return [[path, '{}']]
  return members.flatMap(([key, inner]) => flattened(`${path}.${key}`, inner, depth + 1))
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
