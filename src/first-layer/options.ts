import { InletError, invalidField, quoted, shown } from './errors.js'
import { parseSeed, SEED_RULE } from './random/seed.js'

/** Most heads or channels, more than any model has: a typing error must not ask for gigabytes. */
export const MAX_WIDTH = 65_536

/** The largest count of positions an option may name: indices are int32. */
export const MAX_POSITIONS = 2_147_483_647

/** Which values an option takes, as plain data: protocols make their own schemas of it. */
export type OptionRule =
  | {
      readonly kind: 'number'
      readonly isInteger: boolean
      readonly min?: number
      /** The value must be greater than this. */
      readonly above?: number
      readonly max?: number
      /** The value must be less than this. */
      readonly below?: number
    }
  /** An array of so many numbers. */
  | {
      readonly kind: 'list'
      readonly items: Extract<OptionRule, { kind: 'number' }>
      readonly length: number
    }
  | { readonly kind: 'choice'; readonly values: readonly string[] }
  /** A name in a registry; messages list the names without quotes. */
  | { readonly kind: 'name'; readonly values: readonly string[] }
  | { readonly kind: 'literal'; readonly values: readonly number[] }
  | { readonly kind: 'boolean' }
  | { readonly kind: 'seed' }
  /** An object with a `type` and that type's options. */
  | { readonly kind: 'variants'; readonly variants: Readonly<Record<string, Options>> }

/** One option of a position scheme, a card or a request: its rule, its default, its description. */
export class Option<Value> {
  /** The type of its values; there is no such property at run time. */
  declare readonly value: Value

  constructor(
    readonly rule: OptionRule,
    readonly fallback: unknown = undefined,
    readonly isOptional = false,
    readonly description = '',
  ) {}

  default(value: Value & {}): Option<Value & {}> {
    return new Option<Value & {}>(this.rule, value, false, this.description)
  }

  optional(): Option<Value | undefined> {
    return new Option<Value | undefined>(this.rule, undefined, true, this.description)
  }

  describe(description: string): Option<Value> {
    return new Option<Value>(this.rule, this.fallback, this.isOptional, description)
  }
}

/** Options by their wire names. */
export type Options = Readonly<Record<string, Option<unknown>>>

type OptionalNames<Shape extends Options> = {
  [Name in keyof Shape]: undefined extends Shape[Name]['value'] ? Name : never
}[keyof Shape]

/** The values of options, every default filled in. */
export type OptionValues<Shape extends Options> = {
  readonly [Name in Exclude<keyof Shape, OptionalNames<Shape>>]: Shape[Name]['value']
} & { readonly [Name in OptionalNames<Shape>]?: Shape[Name]['value'] }

/** A whole number from `min` to `max`. */
export const integer = (min: number, max: number) =>
  new Option<number>({ kind: 'number', isInteger: true, min, max })

/** A whole number of at least `min`, as far as float64 counts exactly. */
export const atLeast = (min: number) => new Option<number>({ kind: 'number', isInteger: true, min })

/** A positive whole number up to `max`. */
export const count = (max: number) => integer(1, max)

export const number = (min: number, max: number) =>
  new Option<number>({ kind: 'number', isInteger: false, min, max })

/** A number greater than 0, up to `max`. */
export const positive = (max: number) =>
  new Option<number>({ kind: 'number', isInteger: false, above: 0, max })

/** A number from 0 to below 1, as the decay of a running average. */
export const fraction = () => new Option<number>({ kind: 'number', isInteger: false, min: 0, below: 1 })

/** Two values of an option: `[0.9, 0.999]`. */
export const pair = ({ rule }: Option<number>) =>
  new Option<readonly [number, number]>({
    kind: 'list',
    items: rule as Extract<OptionRule, { kind: 'number' }>,
    length: 2,
  })

export const choice = <const Value extends string>(values: readonly Value[]) =>
  new Option<Value>({ kind: 'choice', values })

export const name = <const Value extends string>(values: readonly Value[]) =>
  new Option<Value>({ kind: 'name', values })

export const literal = <const Value extends number>(values: readonly Value[]) =>
  new Option<Value>({ kind: 'literal', values })

export const boolean = () => new Option<boolean>({ kind: 'boolean' })

type VariantValues<Variants extends Readonly<Record<string, Options>>> = {
  [Type in keyof Variants]: { readonly type: Type } & OptionValues<Variants[Type]>
}[keyof Variants]

/** An object with a `type` and the options of that type. */
export const variants = <const Variants extends Readonly<Record<string, Options>>>(given: Variants) =>
  new Option<VariantValues<Variants>>({ kind: 'variants', variants: given })

/** The base of geometric frequencies. Below 1 they would grow; 10³⁰ is still finite in float32. */
export const frequencyBase = () => number(1, 1e30).default(10_000)

export const numHeads = () => count(MAX_WIDTH).default(8).describe('Number of attention heads H.')

export const headDim = () => count(MAX_WIDTH).default(64).describe('Width of one attention head, D.')

export const keyLength = () =>
  count(MAX_POSITIONS)
    .optional()
    .describe('Number of keys K, at positions 0 … K−1. Absent: position_offset + context_length.')

/** `torch.manual_seed`'s argument: an integer, or a decimal string where it is beyond 2^53. */
export const seed = () =>
  new Option<number | string>({ kind: 'seed' })
    .default(123)
    .describe('Seed of torch.manual_seed for the tables: an integer or a decimal string, −2^63 … 2^64−1.')

/**
 * Reads options from an object, defaults filled in: `{ num_heads: 2 }` of `alibi` → `{ num_heads: 2, form: 'causal' }`.
 * The messages are those of the schemas that protocols make of the options.
 *
 * @param path of the object, for messages: `position_embedding`
 * @throws InletError `invalid_request` for an unknown option, or a value that its rule refuses
 */
export function readOptions<Shape extends Options>(
  options: Shape,
  given: Readonly<Record<string, unknown>>,
  path = '',
): OptionValues<Shape> {
  const pathOf = (name: string) => (path === '' ? name : `${path}.${name}`)
  const unknown = Object.keys(given).find((name) => !Object.hasOwn(options, name))
  if (unknown !== undefined) {
    const param = pathOf(unknown)
    throw new InletError('invalid_request', `${quoted(param)} is not a field of this request.`, param)
  }
  const values: Record<string, unknown> = {}
  for (const [name, option] of Object.entries(options)) {
    const value = given[name] === undefined ? option.fallback : given[name]
    if (value === undefined && option.isOptional) continue
    values[name] = readValue(option.rule, value, pathOf(name))
  }
  return values as OptionValues<Shape>
}

function readValue(rule: OptionRule, value: unknown, path: string): unknown {
  if (rule.kind === 'variants') {
    const { type, ...given } = Object(value) as { type?: unknown }
    const options = typeof type === 'string' && Object.hasOwn(rule.variants, type) && rule.variants[type]
    if (!options)
      throw invalidField(path, `must have a \`type\`: ${Object.keys(rule.variants).join(', ')}`, value)
    return { type, ...readOptions(options, given, path) }
  }
  if (rule.kind === 'list' && Array.isArray(value) && value.length === rule.length)
    return value.map((each, i) => readValue(rule.items, each, `${path}.${i}`))
  const problem = value === undefined ? 'is needed' : problemOf(rule, value)
  if (problem !== undefined) throw invalidField(path, problem, value)
  return value
}

function problemOf(rule: Exclude<OptionRule, { kind: 'variants' }>, value: unknown): string | undefined {
  switch (rule.kind) {
    case 'boolean':
      return typeof value === 'boolean' ? undefined : 'must be true or false'
    case 'seed':
      return parseSeed(value) === undefined ? SEED_RULE : undefined
    case 'list':
      return `must be an array of ${rule.length} numbers`
    case 'number': {
      const { isInteger, min = -Infinity, above = -Infinity, max = Infinity, below = Infinity } = rule
      const isNumber = isInteger ? Number.isSafeInteger(value) : Number.isFinite(value)
      if (isInteger && !isNumber && Number.isInteger(value)) return 'must be an integer within ±(2^53 − 1)'
      if (!isNumber) return isInteger ? 'must be an integer' : 'must be a number'
      const is = value as number
      if (is < min) return `must be at least ${min}`
      if (is <= above) return `must be more than ${above}`
      if (is >= below) return `must be less than ${below}`
      return is > max ? `must be at most ${max}` : undefined
    }
    case 'name':
      return (rule.values as readonly unknown[]).includes(value)
        ? undefined
        : `must be one of ${rule.values.join(', ')}`
    default: {
      const values: readonly unknown[] = rule.values
      const one = values.length === 1 ? '' : 'one of '
      return values.includes(value) ? undefined : `must be ${one}${values.map(shown).join(', ')}`
    }
  }
}
