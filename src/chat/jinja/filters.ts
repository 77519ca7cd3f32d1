import { failed, unsupported } from '../refusals.js'
import { named, textArgument } from './arguments.js'
import { item } from './attributes.js'
import { type JsonOptions, jsonText } from './json.js'
import { textOrder } from './operators.js'
import { splitLines } from './splits.js'
import { inCase } from './string-case.js'
import { replaced, stripSet } from './string-methods.js'
import { test } from './tests.js'
import {
  type CallArguments,
  characters,
  Float,
  Iterable,
  int,
  isDict,
  items,
  length,
  Tuple,
  text,
  truth,
  typeName,
  Undefined,
  type Value,
} from './values.js'
import { strip } from './white-space.js'

type Filter = (input: Value, args: CallArguments) => Value

/** The names of Jinja2's filters, and transformers' own `tojson`: with any other name no template is read. */
export const FILTER_NAMES: ReadonlySet<string> = new Set(
  'abs attr batch capitalize center count d default dictsort e escape filesizeformat first float forceescape format groupby indent int items join last length list lower map max min pprint random reject rejectattr replace reverse round safe select selectattr slice sort string striptags sum title tojson trim truncate unique upper urlencode urlize wordcount wordwrap xmlattr'.split(
    ' ',
  ),
)

/** `input|name(…)`. @throws InletError `template_unsupported`, `template_failed` */
export function filter(name: string, input: Value, args: CallArguments): Value {
  const known = Object.hasOwn(FILTERS, name) ? FILTERS[name] : undefined
  if (known === undefined) throw unsupported(`filter \`${name}\``)
  return known(input, args)
}

const NO_ARGUMENTS: CallArguments = { positional: [], keyword: new Map() }

const defaulted: Filter = (input, args) => {
  const { default_value = '', boolean = false } = named(args, 'default', ['default_value', 'boolean'])
  return input instanceof Undefined || (truth(boolean) && !truth(input)) ? default_value : input
}

const counted: Filter = (input) => length(input)

const FILTERS: Readonly<Record<string, Filter>> = {
  d: defaulted,
  default: defaulted,
  count: counted,
  length: counted,
  string: (input) => text(input),
  upper: (input) => inCase(text(input), 'upper'),
  lower: (input) => inCase(text(input), 'lower'),
  capitalize: (input) => inCase(text(input), 'capitalize'),
  title: (input) => inCase(text(input), 'title'),
  trim: (input, args) => {
    const { chars = null } = named(args, 'trim', ['chars'])
    return chars === null ? strip(text(input)) : strip(text(input), stripSet(chars))
  },
  replace: (input, args) => {
    const { s, new: next, count = null } = named(args, 'replace', ['s', 'new', 'count'])
    if (s === undefined || next === undefined) throw failed('replace() needs two arguments')
    return replaced(text(input), text(s), text(next), count ?? -1)
  },
  indent: indented,
  tojson: (input, args) => jsonText(input, jsonOptions(args)),
  list: (input) => [...items(input)],
  first: (input) => {
    const [first] = items(input)
    return first === undefined ? new Undefined('No first item, sequence was empty.') : first
  },
  last: (input) => {
    if (input instanceof Iterable && input.kind === 'iterator')
      throw failed("'generator' object is not reversible")
    const last = items(input).at(-1)
    return last === undefined ? new Undefined('No last item, sequence was empty.') : last
  },
  reverse: (input) => {
    if (typeof input === 'string') return characters(input).reverse().join('')
    return new Iterable('iterator', [...items(input)].reverse())
  },
  items: (input) => {
    if (input instanceof Undefined) return new Iterable('iterator', [])
    if (!isDict(input)) throw failed('Can only get item pairs from a mapping.')
    return new Iterable(
      'iterator',
      [...input].map((entry) => new Tuple(entry)),
    )
  },
  dictsort: (input, args) => {
    if (args.positional.length + args.keyword.size > 0) throw unsupported('arguments of `dictsort`')
    if (!isDict(input)) throw failed(`'${typeName(input)}' object has no attribute 'items'`)
    return sorted([...input], ([name]) => name).map((entry) => new Tuple(entry))
  },
  sort: (input, args) => {
    const {
      reverse = false,
      case_sensitive = false,
      attribute = null,
    } = named(args, 'sort', ['reverse', 'case_sensitive', 'attribute'])
    if (truth(reverse) || truth(case_sensitive)) throw unsupported('arguments of `sort`')
    const of = attribute === null ? (value: Value) => value : getter(attribute)
    return sorted([...items(input)], of)
  },
  unique: (input, args) => {
    if (args.positional.length + args.keyword.size > 0) throw unsupported('arguments of `unique`')
    const seen = new Map<string | number, Value>()
    for (const value of items(input)) {
      const key = sortKey(value)
      if (!seen.has(key)) seen.set(key, value)
    }
    return new Iterable('iterator', [...seen.values()])
  },
  join: (input, args) => {
    const { d = '', attribute = null } = named(args, 'join', ['d', 'attribute'])
    const of = attribute === null ? (value: Value) => value : getter(attribute)
    return items(input)
      .map((value) => text(of(value)))
      .join(text(d))
  },
  int: (input, args) => {
    if (args.positional.length + args.keyword.size > 0) throw unsupported('arguments of `int`')
    if (typeof input === 'number') return input
    if (typeof input === 'boolean') return input ? 1 : 0
    if (input instanceof Float) return int(Math.trunc(input.value))
    if (typeof input === 'string' && /^[+-]?\d{1,15}$/.test(input)) return int(Number(input))
    throw unsupported(`\`int\` of a ${typeName(input)}`, 'is rendered for digits alone')
  },
  map: (input, args) => mapped(input, args),
  select: (input, args) => chosen(input, args, false, true),
  reject: (input, args) => chosen(input, args, false, false),
  selectattr: (input, args) => chosen(input, args, true, true),
  rejectattr: (input, args) => chosen(input, args, true, false),
}

function jsonOptions(args: CallArguments): JsonOptions {
  const {
    ensure_ascii = false,
    indent = null,
    separators = null,
    sort_keys = false,
  } = named(args, 'tojson', ['ensure_ascii', 'indent', 'separators', 'sort_keys'])
  return {
    ensureAscii: truth(ensure_ascii),
    indent: indent === null ? undefined : indentText(indent),
    separators: separators === null ? [indent === null ? ', ' : ',', ': '] : separatorPair(separators),
    sortKeys: truth(sort_keys),
  }
}

function indentText(indent: Value): string {
  if (typeof indent === 'string') return indent
  if (typeof indent !== 'number' || indent > 64) throw unsupported('`tojson` with this `indent`')
  return ' '.repeat(Math.max(indent, 0))
}

function separatorPair(separators: Value): [string, string] {
  const pair = items(separators)
  if (pair.length !== 2) throw failed('separators must be two')
  return [textArgument(pair[0], 'tojson'), textArgument(pair[1], 'tojson')]
}

function indented(input: Value, args: CallArguments): string {
  const { width = 4, first = false, blank = false } = named(args, 'indent', ['width', 'first', 'blank'])
  if (typeof input !== 'string') throw failed(`indent of a ${typeName(input)}`)
  const by = indentText(width)
  const lines = splitLines(`${input}\n`)
  const rest = truth(blank)
    ? lines.join(`\n${by}`)
    : lines.map((line, i) => (i === 0 || line === '' ? line : by + line)).join('\n')
  return truth(first) ? by + rest : rest
}

function sortKey(value: Value): string | number {
  if (typeof value === 'number') return value
  if (typeof value === 'string') return inCase(value, 'lower')
  throw unsupported(`sorting a ${typeName(value)}`)
}

function sorted<Item>(list: Item[], of: (each: Item) => Value): Item[] {
  const keyed = list.map((each) => ({ each, key: sortKey(of(each)) }))
  return keyed.sort((a, b) => keyOrder(a.key, b.key)).map(({ each }) => each)
}

function keyOrder(a: string | number, b: string | number): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b
  if (typeof a === 'string' && typeof b === 'string') return textOrder(a, b)
  throw failed("'<' not supported between instances of 'str' and 'int'")
}

/** The value at a path: `a.b.0`. */
function getter(path: Value): (value: Value) => Value {
  const parts: Value[] =
    typeof path === 'number'
      ? [path]
      : textArgument(path, 'attribute')
          .split('.')
          .map((part) => (/^\d+$/.test(part) ? Number(part) : part))
  return (value) => parts.reduce<Value>((inner, part) => item(inner, part), value)
}

// Jinja2 looks at nothing of an input that is false: `none | map('upper')` is empty.

function mapped(input: Value, { positional, keyword }: CallArguments): Value {
  const attribute = keyword.get('attribute')
  if (attribute !== undefined && positional.length === 0) {
    const otherwise = keyword.get('default')
    if (keyword.size > (otherwise === undefined ? 1 : 2)) throw failed('unexpected keyword argument of map')
    const of = getter(attribute)
    const at = (value: Value) => {
      const found = of(value)
      return found instanceof Undefined && otherwise !== undefined ? otherwise : found
    }
    return new Iterable('iterator', items(truth(input) ? input : []).map(at))
  }
  const [name, ...rest] = positional
  const by = textArgument(name, 'map')
  return new Iterable(
    'iterator',
    items(truth(input) ? input : []).map((value) => filter(by, value, { positional: rest, keyword })),
  )
}

function chosen(
  input: Value,
  { positional, keyword }: CallArguments,
  byAttribute: boolean,
  wanted: boolean,
): Value {
  const rest = [...positional]
  const of = byAttribute ? getter(rest.shift() ?? null) : (value: Value) => value
  const name = rest.shift()
  const by = name === undefined ? undefined : textArgument(name, 'select')
  const args = name === undefined ? NO_ARGUMENTS : { positional: rest, keyword }
  const holds = (value: Value) => (by === undefined ? truth(of(value)) : test(by, of(value), args))
  return new Iterable(
    'iterator',
    items(truth(input) ? input : []).filter((value) => holds(value) === wanted),
  )
}
