import { failed, unsupported } from '../errors.js'
import { type Method, plain, taking, textArgument } from './arguments.js'
import { item } from './attributes.js'
import type { Budget } from './budget.js'
import { keyOrder } from './operators.js'
import { inCase, joined, replaced, splitLines, stripped, WEIGHT } from './string-methods.js'
import { test } from './tests.js'
import { text, written } from './text.js'
import {
  type CallArguments,
  characters,
  copied,
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

type Filter = Method<Value>

/** `input|name(…)`. @throws ChatError `template_unsupported`, `template_failed` */
export function filter(name: string, input: Value, args: CallArguments, budget: Budget): Value {
  const known = FILTERS.get(name)
  if (known === undefined) throw unsupported(`filter \`${name}\``)
  budget.take()
  if (typeof input === 'string') budget.takeText(input.length, WEIGHT)
  if (!(input instanceof Markup) || OF_MARKUP.has(name)) return made(known(input, args, budget, name), budget)
  if (!KEEP_MARKUP.has(name)) throw unsupported(`filter \`${name}\` of a text from \`safe\``)
  return made(new Markup(known(input.text, args, budget, name) as string), budget)
}

/** Filters that take a text from `safe` as another one, and those that make one of it again. */
const OF_MARKUP = new Set(['safe', 'd', 'default', 'count', 'length', 'replace'])
const KEEP_MARKUP = new Set(['string', 'trim', 'upper', 'lower', 'capitalize'])

const iterator = (values: readonly Value[]) => new Iterable('iterator', values)
const itself = (value: Value) => value

const defaulted: Filter = taking(['default_value', 'boolean'], (input, [otherwise = '', boolean = false]) =>
  input instanceof Undefined || (truth(boolean) && !truth(input)) ? otherwise : input,
)
const cased = (to: Parameters<typeof inCase>[1]): Filter =>
  plain((input, budget) => inCase(text(input, budget), to, budget))

const FILTERS: ReadonlyMap<string, Filter> = new Map(
  Object.entries<Filter>({
    safe: plain((input, budget) => (input instanceof Markup ? input : new Markup(text(input, budget)))),
    d: defaulted,
    default: defaulted,
    count: plain(length),
    length: plain(length),
    string: plain(text),
    upper: cased('upper'),
    lower: cased('lower'),
    capitalize: cased('capitalize'),
    title: cased('title'),
    trim: taking(['chars'], (input, [chars], budget) => stripped(strip, text(input, budget), chars, budget)),
    replace: taking(['s', 'new', 'count'], (input, [s, next, count = null], budget) => {
      if (s === undefined || next === undefined) throw failed('replace() needs two arguments')
      const [old, other] = [text(s, budget), text(next, budget)]
      return replaced(text(input, budget), old, other, count ?? -1, budget)
    }),
    indent: taking(['width', 'first', 'blank'], indented),
    tojson: taking(['ensure_ascii', 'indent', 'separators', 'sort_keys'], json),
    list: plain(copied),
    first: plain((input, budget) => {
      const [first] = items(input, budget)
      return first === undefined ? new Undefined('No first item, sequence was empty.') : first
    }),
    last: plain((input, budget) => {
      if (input instanceof Iterable && input.type === 'iterator')
        throw failed("'generator' object is not reversible")
      const last = items(input, budget).at(-1)
      return last === undefined ? new Undefined('No last item, sequence was empty.') : last
    }),
    reverse: plain((input, budget) => {
      if (typeof input === 'string') return characters(input, budget).reverse().join('')
      return iterator(copied(input, budget).reverse())
    }),
    items: plain((input, budget) => {
      if (input instanceof Undefined) return iterator([])
      if (!isDict(input))
        return new Iterable('iterator', [], failed('Can only get item pairs from a mapping.'))
      budget.takeItems(input.size)
      return iterator([...input].map((entry) => new Tuple(entry)))
    }),
    dictsort: taking(0, (input, _, budget) => {
      if (!isDict(input)) throw failed(`'${typeName(input)}' object has no attribute 'items'`)
      budget.takeItems(input.size)
      return sorted([...input], ([name]) => name, budget).map((entry) => new Tuple(entry))
    }),
    sort: taking(
      ['reverse', 'case_sensitive', 'attribute'],
      (input, [reverse = false, isSensitive = false, attribute = null], budget) => {
        if (truth(reverse) || truth(isSensitive)) throw unsupported('arguments of `sort`')
        return sorted(copied(input, budget), getter(attribute, budget), budget)
      },
    ),
    unique: taking(0, (input, _, budget) => {
      const seen = new Map<string | number, Value>()
      for (const value of copied(input, budget)) {
        const key = sortKey(value, budget)
        if (!seen.has(key)) seen.set(key, value)
      }
      return iterator([...seen.values()])
    }),
    join: taking(['d', 'attribute'], (input, [d = '', attribute = null], budget) => {
      const of = getter(attribute, budget)
      const texts = copied(input, budget).map((value) => text(of(value), budget))
      return joined(texts, text(d, budget), budget)
    }),
    int: taking(0, (input) => {
      if (typeof input === 'number' || typeof input === 'boolean') return Number(input)
      if (input instanceof Float) return int(Math.trunc(input.value))
      if (typeof input === 'string' && /^[+-]?\d{1,15}$/.test(input)) return int(Number(input))
      throw unsupported(`\`int\` of a ${typeName(input)}`, 'is rendered for digits alone')
    }),
    map: mapped,
    select: choosing(false, true),
    reject: choosing(false, false),
    selectattr: choosing(true, true),
    rejectattr: choosing(true, false),
  }),
)

/** The names of Jinja2's filters, and transformers' own `tojson`: with any other name no template is read. */
export const FILTER_NAMES: ReadonlySet<string> = new Set([
  ...FILTERS.keys(),
  ...'abs attr batch center e escape filesizeformat float forceescape format groupby max min pprint random'.split(
    ' ',
  ),
  ...'round slice striptags sum truncate urlencode urlize wordcount wordwrap xmlattr'.split(' '),
])

/** Most characters of a level of indent, and of a separator in JSON. */
const MAX_INDENT = 64

/** A level of indent: spaces, or a text. @throws ChatError `template_unsupported` for a long one */
function indentText(indent: Value): string {
  if (typeof indent === 'string' && indent.length <= MAX_INDENT) return indent
  if (typeof indent !== 'number' || indent > MAX_INDENT)
    throw unsupported(`an indent of more than ${MAX_INDENT} spaces`)
  return ' '.repeat(Math.max(indent, 0))
}

function indented(
  input: Value,
  [width = 4, first = false, blank = false]: readonly (Value | undefined)[],
  budget: Budget,
): string {
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

function json(
  input: Value,
  [ensureAscii = false, indent = null, separators = null, sortKeys = false]: readonly (Value | undefined)[],
  budget: Budget,
): string {
  const pair = separators === null ? [indent === null ? ', ' : ',', ': '] : items(separators, budget)
  if (pair.length !== 2) throw failed('separators must be two')
  const [between, behind] = pair.map((each) => textArgument(each, 'tojson'))
  if (between.length + behind.length > MAX_INDENT)
    throw unsupported(`separators of more than ${MAX_INDENT} characters`)
  const options = {
    ensureAscii: truth(ensureAscii),
    indent: indent === null ? undefined : indentText(indent),
    separators: [between, behind],
    sortKeys: truth(sortKeys),
  } as const
  return written(input, budget, options)
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

/** The value at a path: `a.b.0`; `otherwise` stands for each part that is not there. */
function getter(path: Value, budget: Budget, otherwise: Value = null): (value: Value) => Value {
  if (path === null) return itself
  if (typeof path !== 'number' && typeof path !== 'string')
    throw unsupported(`an attribute by a ${typeName(path)}`)
  const parts = String(path).split('.')
  return (value) => {
    budget.take(parts.length)
    return parts.reduce<Value>((inner, part) => {
      const found = item(inner, /^\d+$/.test(part) ? Number(part) : part, budget)
      return found instanceof Undefined && otherwise !== null ? otherwise : found
    }, value)
  }
}

// Jinja2 looks at nothing of an input that is false: `none | map('upper')` is empty.

function mapped(input: Value, { positional, keyword }: CallArguments, budget: Budget): Value {
  if (!truth(input)) return iterator([])
  const values = copied(input, budget)
  const attribute = keyword.get('attribute')
  if (attribute !== undefined && positional.length === 0) {
    const otherwise = keyword.get('default')
    if (keyword.size > (otherwise === undefined ? 1 : 2)) throw failed('unexpected keyword argument of map')
    return iterator(values.map(getter(attribute, budget, otherwise)))
  }
  const [name, ...rest] = positional
  const by = textArgument(name, 'map')
  return iterator(values.map((value) => filter(by, value, { positional: rest, keyword }, budget)))
}

function choosing(byAttribute: boolean, wanted: boolean): Filter {
  return (input, { positional, keyword }, budget) => {
    if (!truth(input)) return iterator([])
    const rest = [...positional]
    if (byAttribute && rest.length === 0) throw failed('Missing parameter for attribute name')
    const of = byAttribute ? getter(rest.shift()!, budget) : itself
    const name = rest.shift()
    const by = name === undefined ? undefined : textArgument(name, 'select')
    const args = name === undefined ? NO_ARGUMENTS : { positional: rest, keyword }
    const holds = (value: Value) => (by === undefined ? truth(of(value)) : test(by, of(value), args, budget))
    return iterator(copied(input, budget).filter((value) => holds(value) === wanted))
  }
}
