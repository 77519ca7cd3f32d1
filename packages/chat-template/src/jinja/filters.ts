import { failed, unsupported } from '../refusals.js'
import { named, textArgument } from './arguments.js'
import { item } from './attributes.js'
import type { Budget } from './budget.js'
import { jsonText, keyOrder } from './json.js'
import { indentText, jsonOptions } from './json-options.js'
import { splitLines } from './splits.js'
import { type Case, inCase } from './string-case.js'
import { joined, replaced, stripSet } from './string-methods.js'
import { test } from './tests.js'
import { text } from './text.js'
import {
  type CallArguments,
  characters,
  Float,
  Iterable,
  int,
  isDict,
  isList,
  items,
  length,
  Markup,
  made,
  NO_ARGUMENTS,
  Tuple,
  truth,
  typeName,
  Undefined,
  type Value,
} from './values.js'
import { strip } from './white-space.js'

type Filter = (input: Value, args: CallArguments, budget: Budget) => Value

/** The names of Jinja2's filters, and transformers' own `tojson`: with any other name no template is read. */
export const FILTER_NAMES: ReadonlySet<string> = new Set(
  'abs attr batch capitalize center count d default dictsort e escape filesizeformat first float forceescape format groupby indent int items join last length list lower map max min pprint random reject rejectattr replace reverse round safe select selectattr slice sort string striptags sum title tojson trim truncate unique upper urlencode urlize wordcount wordwrap xmlattr'.split(
    ' ',
  ),
)

/** `input|name(…)`. @throws ChatError `template_unsupported`, `template_failed` */
export function filter(name: string, input: Value, args: CallArguments, budget: Budget): Value {
  const known = Object.hasOwn(FILTERS, name) ? FILTERS[name] : undefined
  if (known === undefined) throw unsupported(`filter \`${name}\``)
  budget.take()
  if (WITHOUT_ARGUMENTS.has(name)) named(args, name, [])
  if (!(input instanceof Markup) || OF_MARKUP.has(name)) return made(known(input, args, budget), budget)
  if (!KEEP_MARKUP.has(name)) throw unsupported(`filter \`${name}\` of a text from \`safe\``)
  return made(new Markup(known(input.text, args, budget) as string), budget)
}

const WITHOUT_ARGUMENTS = new Set(
  'capitalize count first items last length list lower reverse safe string title upper'.split(' '),
)

/** Filters that take a text from `safe` as another one, and those that make one of it again. */
const OF_MARKUP = new Set(['safe', 'd', 'default', 'count', 'length', 'replace'])
const KEEP_MARKUP = new Set(['string', 'trim', 'upper', 'lower', 'capitalize'])

const defaulted: Filter = (input, args) => {
  const { default_value = '', boolean = false } = named(args, 'default', ['default_value', 'boolean'])
  return input instanceof Undefined || (truth(boolean) && !truth(input)) ? default_value : input
}

const counted: Filter = (input, _, budget) => length(input, budget)

const FILTERS: Readonly<Record<string, Filter>> = {
  safe: (input, _, budget) => (input instanceof Markup ? input : new Markup(text(input, budget))),
  d: defaulted,
  default: defaulted,
  count: counted,
  length: counted,
  string: (input, _, budget) => text(input, budget),
  upper: cased('upper'),
  lower: cased('lower'),
  capitalize: cased('capitalize'),
  title: cased('title'),
  trim: (input, args, budget) => {
    const { chars = null } = named(args, 'trim', ['chars'])
    return strip(text(input, budget), budget, stripSet(chars, budget))
  },
  replace: (input, args, budget) => {
    const { s, new: next, count = null } = named(args, 'replace', ['s', 'new', 'count'])
    if (s === undefined || next === undefined) throw failed('replace() needs two arguments')
    const [old, other] = [text(s, budget), text(next, budget)]
    return replaced(text(input, budget), old, other, count ?? -1, budget)
  },
  indent: indented,
  tojson: (input, args, budget) => jsonText(input, jsonOptions(args, budget), budget),
  list: (input, _, budget) => copied(input, budget),
  first: (input, _, budget) => {
    const [first] = items(input, budget)
    return first === undefined ? new Undefined('No first item, sequence was empty.') : first
  },
  last: (input, _, budget) => {
    if (input instanceof Iterable && input.kind === 'iterator')
      throw failed("'generator' object is not reversible")
    const last = items(input, budget).at(-1)
    return last === undefined ? new Undefined('No last item, sequence was empty.') : last
  },
  reverse: (input, _, budget) => {
    if (typeof input === 'string') return characters(input, budget).reverse().join('')
    return new Iterable('iterator', copied(input, budget).reverse())
  },
  items: (input, _, budget) => {
    if (input instanceof Undefined) return new Iterable('iterator', [])
    if (!isDict(input)) return new Iterable('iterator', [], failed('Can only get item pairs from a mapping.'))
    budget.takeItems(input.size)
    return new Iterable(
      'iterator',
      [...input].map((entry) => new Tuple(entry)),
    )
  },
  dictsort: (input, args, budget) => {
    if (args.positional.length + args.keyword.size > 0) throw unsupported('arguments of `dictsort`')
    if (!isDict(input)) throw failed(`'${typeName(input)}' object has no attribute 'items'`)
    budget.takeItems(input.size)
    return sorted([...input], ([name]) => name, budget).map((entry) => new Tuple(entry))
  },
  sort: (input, args, budget) => {
    const {
      reverse = false,
      case_sensitive = false,
      attribute = null,
    } = named(args, 'sort', ['reverse', 'case_sensitive', 'attribute'])
    if (truth(reverse) || truth(case_sensitive)) throw unsupported('arguments of `sort`')
    return sorted(copied(input, budget), attribute === null ? itself : getter(attribute, budget), budget)
  },
  unique: (input, args, budget) => {
    if (args.positional.length + args.keyword.size > 0) throw unsupported('arguments of `unique`')
    const seen = new Map<string | number, Value>()
    for (const value of copied(input, budget)) {
      const key = sortKey(value, budget)
      if (!seen.has(key)) seen.set(key, value)
    }
    return new Iterable('iterator', [...seen.values()])
  },
  join: (input, args, budget) => {
    const { d = '', attribute = null } = named(args, 'join', ['d', 'attribute'])
    const of = attribute === null ? itself : getter(attribute, budget)
    const texts = copied(input, budget).map((value) => text(of(value), budget))
    return joined(texts, text(d, budget), budget)
  },
  int: (input, args) => {
    if (args.positional.length + args.keyword.size > 0) throw unsupported('arguments of `int`')
    if (typeof input === 'number') return input
    if (typeof input === 'boolean') return input ? 1 : 0
    if (input instanceof Float) return int(Math.trunc(input.value))
    if (typeof input === 'string' && /^[+-]?\d{1,15}$/.test(input)) return int(Number(input))
    throw unsupported(`\`int\` of a ${typeName(input)}`, 'is rendered for digits alone')
  },
  map: mapped,
  select: choosing(false, true),
  reject: choosing(false, false),
  selectattr: choosing(true, true),
  rejectattr: choosing(true, false),
}

function cased(to: Case): Filter {
  return (input, _, budget) => inCase(text(input, budget), to, budget)
}

/** `list(value)`, a copy. */
function copied(value: Value, budget: Budget): Value[] {
  const list = items(value, budget)
  budget.takeItems(list.length)
  return made([...list], budget)
}

const itself = (value: Value) => value

function indented(input: Value, args: CallArguments, budget: Budget): string {
  const { width = 4, first = false, blank = false } = named(args, 'indent', ['width', 'first', 'blank'])
  if (isList(input)) throw unsupported('`indent` of a list')
  if (typeof input !== 'string') throw failed(`indent of a ${typeName(input)}`)
  const by = indentText(width)
  const lines = splitLines(`${input}\n`, budget)
  budget.checkText(input.length + lines.length * by.length)
  const rest = truth(blank)
    ? lines.join(`\n${by}`)
    : lines.map((line, i) => (i === 0 || line === '' ? line : by + line)).join('\n')
  return truth(first) ? by + rest : rest
}

function sortKey(value: Value, budget: Budget): string | number {
  if (typeof value === 'number') return value
  if (typeof value === 'string') return made(inCase(value, 'lower', budget), budget)
  throw unsupported(`sorting a ${typeName(value)}`)
}

function sorted<Item>(list: Item[], of: (each: Item) => Value, budget: Budget): Item[] {
  const keyed = list.map((each) => ({ each, key: sortKey(of(each), budget) }))
  return keyed.sort((a, b) => keyOrder(a.key, b.key, budget)).map(({ each }) => each)
}

function attributePath(path: Value): Value[] {
  if (path === null) return []
  if (typeof path === 'number') return [path]
  if (typeof path !== 'string') throw unsupported(`an attribute by a ${typeName(path)}`)
  return path.split('.').map((part) => (/^\d+$/.test(part) ? Number(part) : part))
}

/** The value at a path: `a.b.0`; `otherwise` stands for each part that is not there. */
function getter(path: Value, budget: Budget, otherwise: Value = null): (value: Value) => Value {
  const parts = attributePath(path)
  return (value) => {
    budget.take(parts.length)
    return parts.reduce<Value>((inner, part) => {
      const found = item(inner, part, budget)
      return found instanceof Undefined && otherwise !== null ? otherwise : found
    }, value)
  }
}

// Jinja2 looks at nothing of an input that is false: `none | map('upper')` is empty.

function mapped(input: Value, { positional, keyword }: CallArguments, budget: Budget): Value {
  if (!truth(input)) return new Iterable('iterator', [])
  const values = copied(input, budget)
  const attribute = keyword.get('attribute')
  if (attribute !== undefined && positional.length === 0) {
    const otherwise = keyword.get('default')
    if (keyword.size > (otherwise === undefined ? 1 : 2)) throw failed('unexpected keyword argument of map')
    return new Iterable('iterator', values.map(getter(attribute, budget, otherwise)))
  }
  const [name, ...rest] = positional
  const by = textArgument(name, 'map')
  const args = { positional: rest, keyword }
  return new Iterable(
    'iterator',
    values.map((value) => filter(by, value, args, budget)),
  )
}

function choosing(byAttribute: boolean, wanted: boolean): Filter {
  return (input, { positional, keyword }, budget) => {
    if (!truth(input)) return new Iterable('iterator', [])
    const rest = [...positional]
    if (byAttribute && rest.length === 0) throw failed('Missing parameter for attribute name')
    const of = byAttribute ? getter(rest.shift()!, budget) : itself
    const name = rest.shift()
    const by = name === undefined ? undefined : textArgument(name, 'select')
    const args = name === undefined ? NO_ARGUMENTS : { positional: rest, keyword }
    const holds = (value: Value) => (by === undefined ? truth(of(value)) : test(by, of(value), args, budget))
    return new Iterable(
      'iterator',
      copied(input, budget).filter((value) => holds(value) === wanted),
    )
  }
}
