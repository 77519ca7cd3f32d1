import { failed, unsupported } from '../refusals.js'

/** A `float` of Python's; a whole `number` is an `int`. */
export class Float {
  constructor(readonly value: number) {}
}

/** A `tuple` of Python's; an array is a `list`. */
export class Tuple {
  constructor(readonly items: readonly Value[]) {}
}

/** A name, an attribute or an item that is not there. */
export class Undefined {
  constructor(readonly name: string) {}
}

/** `namespace()`. */
export class Namespace {
  readonly values = new Map<string, Value>()
}

/** `loop`. */
export class Loop extends Namespace {}

/** What is iterated over and is no list: a view of a dict, a range, or an iterator, which gives its values once. */
export class Iterable {
  #isTaken = false

  constructor(
    readonly kind: 'view' | 'range' | 'iterator',
    private readonly values: readonly Value[],
  ) {}

  /** Its values. @throws InletError `template_unsupported` for an iterator that has given them */
  take(): readonly Value[] {
    if (this.#isTaken && this.kind === 'iterator') throw unsupported('an iterator', 'is used twice')
    this.#isTaken = true
    return this.values
  }

  get length(): number {
    if (this.kind === 'iterator') throw failed("object of type 'generator' has no len()")
    return this.values.length
  }
}

/** A text that `safe` has marked, which Jinja2 takes for another type in all but output and conditions. */
export class Markup {
  constructor(readonly text: string) {}
}

/** The arguments of a call. */
export interface CallArguments {
  readonly positional: readonly Value[]
  readonly keyword: ReadonlyMap<string, Value>
}

/** What can be called: a function, a macro, a method. */
export class Callable {
  constructor(
    readonly name: string,
    readonly call: (args: CallArguments) => Value,
  ) {}
}

/** A dict; keys are strings or ints. */
export type Dict = ReadonlyMap<string | number, Value>

/** A value of a template, as Python has it: `null` is `None`, a whole number `int`, an array `list`, a map `dict`. */
export type Value =
  | null
  | boolean
  | number
  | string
  | Float
  | Tuple
  | readonly Value[]
  | Dict
  | Undefined
  | Markup
  | Namespace
  | Iterable
  | Callable

export function isDict(value: Value): value is Dict {
  return value instanceof Map
}

export function isList(value: Value): value is readonly Value[] {
  return Array.isArray(value)
}

/** Python's name of a value's type. */
export function typeName(value: Value): string {
  if (value === null) return 'NoneType'
  if (typeof value === 'string') return 'str'
  if (typeof value === 'boolean') return 'bool'
  if (typeof value === 'number') return 'int'
  if (value instanceof Float) return 'float'
  if (value instanceof Tuple) return 'tuple'
  if (value instanceof Undefined) return 'Undefined'
  if (value instanceof Markup) return 'Markup'
  if (value instanceof Namespace) return 'Namespace'
  if (value instanceof Callable) return 'function'
  if (value instanceof Iterable) return value.kind
  return isList(value) ? 'list' : 'dict'
}

/** The error for the use of what is not there. */
export function undefinedError({ name }: Undefined) {
  return failed(`${name} is undefined`)
}

/** `bool(value)`. */
export function truth(value: Value): boolean {
  if (value === null || value instanceof Undefined) return false
  if (value instanceof Markup) return value.text !== ''
  if (typeof value === 'boolean') return value
  if (typeof value === 'number') return value !== 0
  if (typeof value === 'string') return value !== ''
  if (value instanceof Float) return value.value !== 0
  if (value instanceof Tuple) return value.items.length > 0
  if (isList(value)) return value.length > 0
  if (isDict(value)) return value.size > 0
  if (value instanceof Iterable && value.kind !== 'iterator') return value.length > 0
  return true
}

/** An `int`, where it is one that JavaScript has exactly. */
export function int(value: number): number {
  if (!Number.isSafeInteger(value)) throw unsupported('an integer', 'is beyond 2^53')
  return value === 0 ? 0 : value
}

/** `str(value)`, as output and `~` have it. */
export function text(value: Value): string {
  if (typeof value === 'string') return value
  if (value === null) return 'None'
  if (value === true) return 'True'
  if (value === false) return 'False'
  if (typeof value === 'number') return String(value)
  if (value instanceof Float) return floatText(value)
  if (value instanceof Undefined) return ''
  if (value instanceof Markup) return value.text
  if (value instanceof Tuple || isList(value) || isDict(value)) return representation(value)
  throw unsupported(`the text of a ${typeName(value)}`)
}

/** `repr` of a float: JavaScript's digits, in the range in which both write them without an exponent. */
export function floatText({ value }: Float): string {
  const size = Math.abs(value)
  if (!Number.isFinite(value) || (size !== 0 && (size < 1e-4 || size >= 1e16)))
    throw unsupported('a number', 'has an exponent in Python')
  if (Object.is(value, -0)) return '-0.0'
  return Number.isInteger(value) ? `${value}.0` : String(value)
}

/** `repr(value)`, as a list has it of its elements. */
function representation(value: Value): string {
  if (typeof value === 'string') return quotedText(value)
  if (isList(value)) return `[${value.map(representation).join(', ')}]`
  if (value instanceof Tuple) {
    const [first, ...rest] = value.items
    if (first !== undefined && rest.length === 0) return `(${representation(first)},)`
    return `(${value.items.map(representation).join(', ')})`
  }
  if (isDict(value)) {
    const members = [...value].map(([name, inner]) => `${representation(name)}: ${representation(inner)}`)
    return `{${members.join(', ')}}`
  }
  if (value instanceof Undefined || value instanceof Markup)
    throw unsupported(`the text of a ${typeName(value)} in a list`)
  return text(value)
}

/** `repr` of a str. Which characters beyond ASCII it escapes depends on the version of Unicode. */
function quotedText(value: string): string {
  if (/[\u0080-\uffff]/.test(value))
    throw unsupported('the text of a list or a dict', 'is rendered for ASCII alone')
  const quote = value.includes("'") && !value.includes('"') ? '"' : "'"
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is escaped
  const inner = value.replace(/[\x00-\x1f\x7f\\'"]/g, (character) => {
    if (character === '\\') return '\\\\'
    if (character === "'" || character === '"') return character === quote ? `\\${character}` : character
    const short = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }[character]
    return short ?? `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`
  })
  return quote + inner + quote
}

/** Whether a text has characters of two units, which Python counts as one. */
function hasPairs(value: string): boolean {
  return /[\ud800-\udfff]/.test(value)
}

/** `list(value)` of a str: its characters. */
export function characters(value: string): string[] {
  return hasPairs(value) ? Array.from(value) : value.split('')
}

/** `len(value)`. */
export function length(value: Value): number {
  if (typeof value === 'string') return hasPairs(value) ? characters(value).length : value.length
  if (value instanceof Undefined) return 0
  if (value instanceof Tuple) return value.items.length
  if (isList(value)) return value.length
  if (isDict(value)) return value.size
  if (value instanceof Iterable) return value.length
  throw failed(`object of type '${typeName(value)}' has no len()`)
}

/** `list(value)`. */
export function items(value: Value): readonly Value[] {
  if (value instanceof Undefined) return []
  if (value instanceof Tuple) return value.items
  if (isList(value)) return value
  if (isDict(value)) return [...value.keys()]
  if (value instanceof Iterable) return value.take()
  if (typeof value === 'string') return characters(value)
  throw failed(`'${typeName(value)}' object is not iterable`)
}

/** A key of a dict. */
export function key(value: Value): string | number {
  if (typeof value === 'string' || typeof value === 'number') return value
  throw unsupported(`a key of type ${typeName(value)}`)
}
