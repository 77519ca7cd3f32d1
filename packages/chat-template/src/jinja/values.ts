import { failed, unsupported } from '../refusals.js'
import type { Budget } from './budget.js'

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

/** `loop`, in the turn of a place. */
export class Loop {
  constructor(
    readonly all: readonly Value[],
    readonly place: number,
  ) {}
}

/** A value to iterate over that is no list: a view of a dict, a range, or an iterator, which gives its values once. */
export class Iterable {
  #isTaken = false

  constructor(
    readonly kind: 'view' | 'range' | 'iterator',
    private readonly values: readonly Value[],
    /** Python's failure at the first value: an iterator that nobody reads does not fail. */
    private readonly failure?: Error,
  ) {}

  /** The values. @throws ChatError `template_unsupported` for an iterator that has given them */
  take(): readonly Value[] {
    if (this.failure !== undefined) throw this.failure
    if (this.#isTaken && this.kind === 'iterator') throw unsupported('an iterator', 'is used twice')
    this.#isTaken = true
    return this.values
  }

  get length(): number {
    if (this.kind === 'iterator') throw failed("object of type 'generator' has no len()")
    return this.values.length
  }

  /** How many values it was made of. */
  get size(): number {
    return this.values.length
  }
}

/** A text that `safe` has marked, which Jinja2 takes for another type except in output and conditions. */
export class Markup {
  constructor(readonly text: string) {}
}

/** The arguments of a call. */
export interface CallArguments {
  readonly positional: readonly Value[]
  readonly keyword: ReadonlyMap<string, Value>
}

export const NO_ARGUMENTS: CallArguments = { positional: [], keyword: new Map() }

/** A value that can be called: a function, a macro, a method. */
export class Callable {
  constructor(
    readonly name: string,
    readonly call: (args: CallArguments, budget: Budget) => Value,
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
  | Loop
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
  if (value instanceof Loop) return 'LoopContext'
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

/** Whether a text has characters of two units, which Python counts as one. */
function hasPairs(value: string, budget: Budget): boolean {
  budget.takeText(value.length)
  return /[\ud800-\udfff]/.test(value)
}

/** `list(value)` of a str: its characters. */
export function characters(value: string, budget: Budget): string[] {
  budget.take(Math.ceil(value.length / CHARACTERS))
  budget.make(value.length * CHARACTER_BYTES)
  return hasPairs(value, budget) ? Array.from(value) : value.split('')
}

/** Characters that can be made separate texts in the time of a step, and bytes of one. */
const [CHARACTERS, CHARACTER_BYTES] = [8, 40]

/** The units of a text up to a number of characters. */
function units(value: string, count: number, budget: Budget): number {
  if (!hasPairs(value, budget)) return Math.min(count, value.length)
  budget.takeText(value.length, 4)
  let at = 0
  for (let i = 0; i < count && at < value.length; i++) at += value.codePointAt(at)! > 0xffff ? 2 : 1
  return at
}

/** The number of a text's characters. */
export function points(value: string, budget: Budget): number {
  if (!hasPairs(value, budget)) return value.length
  budget.takeText(value.length, 4)
  let count = 0
  for (let at = 0; at < value.length; at++) if ((value.charCodeAt(at) & 0xfc00) !== 0xdc00) count++
  return count
}

/** The character of a str at a place, from the end where that is below 0. */
export function character(value: string, place: number, budget: Budget): string | undefined {
  const from = place < 0 ? place + points(value, budget) : place
  const code = from < 0 ? undefined : value.codePointAt(units(value, from, budget))
  return code === undefined ? undefined : String.fromCodePoint(code)
}

/** `value[start:stop]`, places as JavaScript's `slice` has them. */
export function substring(value: string, start: number, stop: number, budget: Budget): string {
  const count = start < 0 || stop < 0 ? points(value, budget) : 0
  const unit = (place: number) => units(value, place < 0 ? Math.max(0, place + count) : place, budget)
  return value.slice(unit(start), unit(stop))
}

/** Counts what an expression has made, by its size: the one place in which all of it is counted. */
export function made<Made extends Value>(value: Made, budget: Budget): Made {
  if (typeof value === 'string') budget.makeText(value.length)
  else if (typeof value === 'object' && value !== null) budget.make(sizeOf(value))
  return value
}

/** Bytes of an object, of one that has names, of an element of a list, and of an entry of a dict. */
const [OBJECT_BYTES, NAMES_BYTES, ITEM_BYTES, ENTRY_BYTES] = [64, 320, 16, 64]

function sizeOf(value: Exclude<Value, null | string | number | boolean>): number {
  if (isList(value)) return OBJECT_BYTES + ITEM_BYTES * value.length
  if (value instanceof Tuple) return OBJECT_BYTES + ITEM_BYTES * value.items.length
  if (value instanceof Iterable) return OBJECT_BYTES + ITEM_BYTES * value.size
  if (isDict(value)) return NAMES_BYTES + ENTRY_BYTES * value.size
  return value instanceof Float ? OBJECT_BYTES : NAMES_BYTES
}

/** `len(value)`. */
export function length(value: Value, budget: Budget): number {
  if (typeof value === 'string') return points(value, budget)
  if (value instanceof Markup) return points(value.text, budget)
  if (value instanceof Loop) throw unsupported('the length of `loop`')
  if (value instanceof Undefined) return 0
  if (value instanceof Tuple) return value.items.length
  if (isList(value)) return value.length
  if (isDict(value)) return value.size
  if (value instanceof Iterable) return value.length
  throw failed(`object of type '${typeName(value)}' has no len()`)
}

/** `list(value)`. */
export function items(value: Value, budget: Budget): readonly Value[] {
  if (value instanceof Undefined) return []
  if (value instanceof Tuple) return value.items
  if (isList(value)) return value
  if (isDict(value)) {
    budget.takeItems(value.size)
    return made([...value.keys()], budget)
  }
  if (value instanceof Iterable) return value.take()
  if (typeof value === 'string') return characters(value, budget)
  if (value instanceof Markup || value instanceof Loop)
    throw unsupported(`the elements of a ${typeName(value)}`)
  throw failed(`'${typeName(value)}' object is not iterable`)
}

/** A key of a dict. */
export function key(value: Value): string | number {
  if (typeof value === 'string' || typeof value === 'number') return value
  throw unsupported(`a key of type ${typeName(value)}`)
}
