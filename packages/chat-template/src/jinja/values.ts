import { failed, unsupported } from '../errors.js'
import { type Budget, TEXT_BYTES } from './budget.js'

/** A `float` of Python's; a whole `number` is an `int`. */
export class Float {
  readonly type = 'float'
  constructor(readonly value: number) {}
}

/** A `tuple` of Python's; an array is a `list`. */
export class Tuple {
  readonly type = 'tuple'
  constructor(readonly items: readonly Value[]) {}
}

/** A name, an attribute or an item that is not there. */
export class Undefined {
  readonly type = 'Undefined'
  constructor(readonly name: string) {}
}

/** `namespace()`. */
export class Namespace {
  readonly type = 'Namespace'
  constructor(readonly values: Map<string, Value>) {}
}

/** `loop`, in the turn of a place. */
export class Loop {
  readonly type = 'LoopContext'

  constructor(
    readonly all: readonly Value[],
    readonly place: number,
  ) {}
}

/** A value to iterate over that is no list: a view of a dict, a range, or an iterator, which gives its values once. */
export class Iterable {
  #isTaken = false

  constructor(
    readonly type: 'view' | 'range' | 'iterator',
    readonly values: readonly Value[],
    /** Python's failure at the first value: an iterator that nobody reads does not fail. */
    private readonly failure?: Error,
  ) {}

  /** The values. @throws ChatError `template_unsupported` for an iterator that has given them */
  take(): readonly Value[] {
    if (this.failure !== undefined) throw this.failure
    if (this.#isTaken && this.type === 'iterator') throw unsupported('an iterator', 'is used twice')
    this.#isTaken = true
    return this.values
  }
}

/** A text that `safe` has marked, which Jinja2 takes for another type except in output and conditions. */
export class Markup {
  readonly type = 'Markup'
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
  readonly type = 'function'
  constructor(readonly call: (args: CallArguments, budget: Budget) => Value) {}
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
  if (isList(value)) return 'list'
  return isDict(value) ? 'dict' : value.type
}

/** The error for the use of what is not there. */
export function undefinedError({ name }: Undefined) {
  return failed(`${name} is undefined`)
}

/** How many elements a value has; undefined for one that has none, or does not say so. */
function sizeOf(value: Value): number | undefined {
  if (typeof value === 'string' || isList(value)) return value.length
  if (value instanceof Markup) return value.text.length
  if (value instanceof Tuple) return value.items.length
  if (isDict(value)) return value.size
  return value instanceof Iterable && value.type !== 'iterator' ? value.values.length : undefined
}

/** `bool(value)`. */
export function truth(value: Value): boolean {
  if (typeof value !== 'object' || value === null) return Boolean(value)
  if (value instanceof Float) return value.value !== 0
  return !(value instanceof Undefined) && sizeOf(value) !== 0
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
  budget.takeItems(value.length)
  budget.make(value.length * ENTRY_BYTES)
  return hasPairs(value, budget) ? Array.from(value) : value.split('')
}

/** The number of a text's characters. */
function points(value: string, budget: Budget): number {
  if (!hasPairs(value, budget)) return value.length
  budget.takeText(value.length, 4)
  let count = 0
  for (let at = 0; at < value.length; at++) if ((value.charCodeAt(at) & 0xfc00) !== 0xdc00) count++
  return count
}

/** `value[start:stop]`, places as JavaScript's `slice` has them. */
export function substring(value: string, start: number, stop: number, budget: Budget): string {
  if (!hasPairs(value, budget)) return value.slice(start, stop)
  budget.takeText(value.length, 8)
  const count = start < 0 || stop < 0 ? points(value, budget) : 0
  const unit = (place: number) => {
    let at = 0
    for (let left = place < 0 ? place + count : place; left > 0 && at < value.length; left--)
      at += value.codePointAt(at)! > 0xffff ? 2 : 1
    return at
  }
  return value.slice(unit(start), unit(stop))
}

/** Bytes of an object, of an element of a list, and of an entry of a dict. */
const [OBJECT_BYTES, ITEM_BYTES, ENTRY_BYTES] = [256, 16, 64]

/** Counts what an expression has made, by its size: the one place in which all of it is counted. */
export function made<Made extends Value>(value: Made, budget: Budget): Made {
  if (typeof value === 'string' || value instanceof Markup) budget.make(2 * sizeOf(value)! + TEXT_BYTES)
  else if (typeof value === 'object' && value !== null) {
    const size = value instanceof Iterable ? value.values.length : (sizeOf(value) ?? 0)
    budget.make(OBJECT_BYTES + size * (isDict(value) ? ENTRY_BYTES : ITEM_BYTES))
  }
  return value
}

/** `len(value)`. */
export function length(value: Value, budget: Budget): number {
  if (typeof value === 'string') return points(value, budget)
  if (value instanceof Markup) return points(value.text, budget)
  if (value instanceof Loop) throw unsupported('the length of `loop`')
  const size = value instanceof Undefined ? 0 : sizeOf(value)
  if (size === undefined) throw failed(`object of type '${typeName(value)}' has no len()`)
  return size
}

/** `list(value)`. */
export function items(value: Value, budget: Budget): readonly Value[] {
  if (value instanceof Undefined) return []
  if (value instanceof Tuple) return value.items
  if (isList(value)) return value
  if (value instanceof Iterable) return value.take()
  if (typeof value === 'string') return characters(value, budget)
  if (value instanceof Markup || value instanceof Loop)
    throw unsupported(`the elements of a ${typeName(value)}`)
  if (!isDict(value)) throw failed(`'${typeName(value)}' object is not iterable`)
  budget.takeItems(value.size)
  return made([...value.keys()], budget)
}

/** A copy of `list(value)`. */
export function copied(value: Value, budget: Budget): Value[] {
  const list = items(value, budget)
  budget.takeItems(list.length)
  return made([...list], budget)
}

/** A key of a dict. */
export function key(value: Value): string | number {
  if (typeof value === 'string' || typeof value === 'number') return value
  throw unsupported(`a key of type ${typeName(value)}`)
}
