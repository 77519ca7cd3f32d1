import { failed, unsupported } from '../errors.js'
import { type Method, plain, taking } from './arguments.js'
import type { Budget } from './budget.js'
import { STRING_METHODS, WEIGHT } from './string-methods.js'
import {
  Callable,
  characters,
  type Dict,
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

const DICT_METHODS: Readonly<Record<string, Method<Dict>>> = {
  get: taking(2, (dict, [key, otherwise = null]) => {
    if (key === undefined) throw failed('get expected 1 or 2 arguments')
    if (key === null || key instanceof Undefined) return otherwise
    if (typeof key !== 'string' && typeof key !== 'number')
      throw unsupported(`\`get\` with a key of type ${typeName(key)}`)
    const value = dict.get(key)
    return value === undefined ? otherwise : value
  }),
  items: plain((dict, budget) =>
    view(
      Array.from(dict, (entry) => new Tuple(entry)),
      budget,
    ),
  ),
  keys: plain((dict, budget) => view([...dict.keys()], budget)),
  values: plain((dict, budget) => view([...dict.values()], budget)),
}

function view(values: readonly Value[], budget: Budget): Value {
  budget.takeItems(values.length)
  return new Iterable('view', values)
}

/** The methods of Python's types that are rendered here. */
const METHODS: Readonly<Record<string, Readonly<Record<string, Method<never>>>>> = {
  str: STRING_METHODS,
  dict: DICT_METHODS,
}

const OF_INTS =
  'as_integer_ratio bit_count bit_length conjugate denominator from_bytes imag numerator real to_bytes is_integer'
/** Names that Python's types have beside the ones that start with `__`: these are found before a dict's key is. */
const NAMES: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  Object.entries({
    str: 'capitalize casefold center count encode endswith expandtabs find format format_map index isalnum isalpha isascii isdecimal isdigit isidentifier islower isnumeric isprintable isspace istitle isupper join ljust lower lstrip maketrans partition removeprefix removesuffix replace rfind rindex rjust rpartition rsplit rstrip split splitlines startswith strip swapcase title translate upper zfill',
    dict: 'clear copy fromkeys get items keys pop popitem setdefault update values',
    list: 'append clear copy count extend index insert pop remove reverse sort',
    tuple: 'count index',
    int: OF_INTS,
    bool: OF_INTS,
    float: 'as_integer_ratio conjugate fromhex hex imag is_integer real',
  }).map(([type, names]) => [type, new Set(names.split(' '))]),
)

function method(self: Value, name: string): Value | undefined {
  if (name.startsWith('__')) throw unsupported(`the attribute \`${name}\``)
  if (self instanceof Iterable || self instanceof Callable || self instanceof Markup)
    throw unsupported(`the attribute \`${name}\` of a ${typeName(self)}`)
  const type = typeName(self)
  if (!NAMES.get(type)?.has(name)) return undefined
  return new Callable((args, budget) => {
    const own = METHODS[type]?.[name] as Method<Value> | undefined
    if (own === undefined) throw unsupported(`method \`${name}\` of a ${type}`)
    if (typeof self === 'string') budget.takeText(self.length, WEIGHT)
    return own(self, args, budget, name)
  })
}

/** `object.name`: a method comes before the key of a dict. */
export function attribute(object: Value, name: string): Value {
  if (object instanceof Undefined) throw undefinedError(object)
  if (object instanceof Loop) return loopValue(object, name)
  const own =
    object instanceof Namespace
      ? object.values.get(name)
      : (method(object, name) ?? (isDict(object) ? object.get(name) : undefined))
  return own === undefined ? missing(object, name) : own
}

/** `object[key]`: the key of a dict comes before a method. */
export function item(object: Value, key: Value, budget: Budget): Value {
  if (object instanceof Undefined) throw undefinedError(object)
  if (key instanceof Undefined || key === null)
    return missing(object, String(key instanceof Undefined ? key.name : 'None'))
  if (object instanceof Markup) throw unsupported('an item of a Markup')
  if (typeof key !== 'string' && typeof key !== 'number')
    throw unsupported(`an item by a key of type ${typeName(key)}`)
  const value = isDict(object)
    ? object.get(key)
    : typeof key === 'number'
      ? at(object, key, budget)
      : undefined
  if (value !== undefined) return value
  if (typeof key === 'number') return missing(object, String(key))
  if (object instanceof Namespace || object instanceof Loop) return attribute(object, key)
  return method(object, key) ?? missing(object, key)
}

function at(object: Value, place: number, budget: Budget): Value | undefined {
  if (typeof object === 'string')
    return substring(object, place, place === -1 ? object.length : place + 1, budget) || undefined
  if (object instanceof Tuple) return object.items.at(place)
  if (isList(object)) return object.at(place)
  return object instanceof Iterable && object.type === 'range' ? object.values.at(place) : undefined
}

function missing(object: Value, name: string): Undefined {
  return new Undefined(`'${typeName(object)} object' attribute '${name}'`)
}

/** `loop.name`. */
function loopValue({ all, place }: Loop, name: string): Value {
  if (name === 'cycle' || name === 'changed') throw unsupported(`\`loop.${name}\``)
  const { length } = all
  const values: Readonly<Record<string, Value | undefined>> = {
    index: place + 1,
    index0: place,
    revindex: length - place,
    revindex0: length - place - 1,
    first: place === 0,
    last: place === length - 1,
    length,
    depth: 1,
    depth0: 0,
    previtem: all[place - 1],
    nextitem: all[place + 1],
  }
  const value = Object.hasOwn(values, name) ? values[name] : undefined
  return value === undefined ? new Undefined(`loop attribute '${name}'`) : value
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
  if (!(object instanceof Tuple || isList(object))) throw unsupported(`a slice of a ${typeName(object)}`)
  const list = isList(object) ? object : object.items
  budget.takeItems(list.length)
  const picked = pick(list, from, to, by)
  return isList(object) ? picked : new Tuple(picked)
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
  const [least, most] = step > 0 ? [0, list.length] : [-1, list.length - 1]
  const clamp = (place: number) => Math.min(Math.max(place < 0 ? place + list.length : place, least), most)
  const [first, last] = step > 0 ? [least, most] : [most, least]
  const from = start === undefined ? first : clamp(start)
  const to = stop === undefined ? last : clamp(stop)
  const picked: Item[] = []
  for (let i = from; step > 0 ? i < to : i > to; i += step) picked.push(list[i])
  return picked
}
