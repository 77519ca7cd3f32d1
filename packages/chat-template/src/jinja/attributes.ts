import { unsupported } from '../refusals.js'
import type { Budget } from './budget.js'
import { dictMethod } from './dict-methods.js'
import { loopValue } from './loop-value.js'
import { stringMethod } from './string-methods.js'
import {
  Callable,
  character,
  characters,
  Iterable,
  isDict,
  isList,
  Loop,
  Markup,
  Namespace,
  substring,
  Tuple,
  typeName,
  Undefined,
  undefinedError,
  type Value,
} from './values.js'

/** Names that Python's types have beside the ones that start with `__`: these are found before a dict's key is. */
const METHODS: Readonly<Record<string, ReadonlySet<string>>> = {
  str: names(
    'capitalize casefold center count encode endswith expandtabs find format format_map index isalnum isalpha isascii isdecimal isdigit isidentifier islower isnumeric isprintable isspace istitle isupper join ljust lower lstrip maketrans partition removeprefix removesuffix replace rfind rindex rjust rpartition rsplit rstrip split splitlines startswith strip swapcase title translate upper zfill',
  ),
  dict: names('clear copy fromkeys get items keys pop popitem setdefault update values'),
  list: names('append clear copy count extend index insert pop remove reverse sort'),
  tuple: names('count index'),
  int: names(
    'as_integer_ratio bit_count bit_length conjugate denominator from_bytes imag numerator real to_bytes is_integer',
  ),
  float: names('as_integer_ratio conjugate fromhex hex imag is_integer real'),
  NoneType: new Set(),
}

function names(list: string): ReadonlySet<string> {
  return new Set(list.split(' '))
}

/** `object.name`: a method comes before the key of a dict. */
export function attribute(object: Value, name: string): Value {
  if (object instanceof Undefined) throw undefinedError(object)
  if (object instanceof Loop) return loopValue(object, name)
  if (object instanceof Namespace) return found(object.values.get(name), object, name)
  const own = method(object, name)
  return own ?? found(isDict(object) ? object.get(name) : undefined, object, name)
}

/** `object[key]`: the key of a dict comes before a method. */
export function item(object: Value, key: Value, budget: Budget): Value {
  if (object instanceof Undefined) throw undefinedError(object)
  if (key instanceof Undefined || key === null)
    return missing(object, String(key instanceof Undefined ? key.name : 'None'))
  if (object instanceof Markup) throw unsupported('an item of a Markup')
  if (isDict(object) && (typeof key === 'string' || typeof key === 'number')) {
    const value = object.get(key)
    if (value !== undefined) return value
  } else if (typeof key === 'number') {
    const value = at(object, key, budget)
    if (value !== undefined) return value
  }
  if (typeof key === 'string') {
    if (object instanceof Namespace || object instanceof Loop) return attribute(object, key)
    return method(object, key) ?? missing(object, key)
  }
  if (typeof key === 'number') return missing(object, String(key))
  throw unsupported(`an item by a key of type ${typeName(key)}`)
}

function at(object: Value, place: number, budget: Budget): Value | undefined {
  if (typeof object === 'string') return character(object, place, budget)
  if (object instanceof Tuple) return object.items.at(place)
  if (isList(object)) return object.at(place)
  if (object instanceof Iterable) {
    if (object.kind === 'range') return object.take().at(place)
    return undefined
  }
  return undefined
}

function method(object: Value, name: string): Value | undefined {
  if (name.startsWith('__')) throw unsupported(`the attribute \`${name}\``)
  if (object instanceof Iterable || object instanceof Callable || object instanceof Markup)
    throw unsupported(`the attribute \`${name}\` of a ${typeName(object)}`)
  const type = typeof object === 'boolean' ? 'int' : typeName(object)
  if (!METHODS[type]?.has(name)) return undefined
  const own =
    typeof object === 'string'
      ? stringMethod(object, name)
      : isDict(object)
        ? dictMethod(object, name)
        : undefined
  return new Callable(
    `${type}.${name}`,
    own ??
      (() => {
        throw unsupported(`method \`${name}\` of a ${type}`)
      }),
  )
}

function found(value: Value | undefined, object: Value, name: string): Value {
  return value === undefined ? missing(object, name) : value
}

function missing(object: Value, name: string): Undefined {
  return new Undefined(`'${typeName(object)} object' attribute '${name}'`)
}

/** `object[start:stop:step]`. */
export function slice(object: Value, start: Value, stop: Value, step: Value, budget: Budget): Value {
  if (object instanceof Undefined) throw undefinedError(object)
  const by = bound(step) ?? 1
  if (by === 0) throw unsupported('a slice by 0')
  const [from, to] = [bound(start), bound(stop)]
  if (typeof object === 'string') {
    if (by === 1) return substring(object, from ?? 0, to ?? object.length, budget)
    return pick(characters(object, budget), from, to, by).join('')
  }
  if (object instanceof Tuple || isList(object)) {
    const list = isList(object) ? object : object.items
    budget.takeItems(list.length)
    return isList(object) ? pick(list, from, to, by) : new Tuple(pick(list, from, to, by))
  }
  throw unsupported(`a slice of a ${typeName(object)}`)
}

function bound(value: Value): number | undefined {
  if (value === null) return undefined
  if (typeof value === 'number') return value
  // Python fails, but where Jinja2 computes a slice of a constant itself.
  throw unsupported(`a slice by a ${typeName(value)}`)
}

function pick<Item>(
  list: readonly Item[],
  start: number | undefined,
  stop: number | undefined,
  step: number,
): Item[] {
  const count = list.length
  const least = step > 0 ? 0 : -1
  const most = step > 0 ? count : count - 1
  const clamp = (place: number) => Math.min(Math.max(place < 0 ? place + count : place, least), most)
  const from = start === undefined ? (step > 0 ? 0 : count - 1) : clamp(start)
  const to = stop === undefined ? (step > 0 ? count : -1) : clamp(stop)
  const picked: Item[] = []
  for (let i = from; step > 0 ? i < to : i > to; i += step) picked.push(list[i])
  return picked
}
