import { failed, unsupported } from '../errors.js'
import type { Budget } from './budget.js'
import { strftime } from './strftime.js'
import { text } from './text.js'
import {
  type CallArguments,
  Callable,
  Iterable,
  isDict,
  Markup,
  Namespace,
  typeName,
  type Value,
} from './values.js'

/** Most numbers of a `range`. */
const MAX_RANGE = 10_000

/** The names that every template has beside its variables: Jinja2's own names, and transformers'. */
export const GLOBALS: ReadonlyMap<string, Value> = new Map(
  Object.entries({ range, dict, namespace, raise_exception: raise, strftime_now: now }).map(
    ([name, call]) => [name, new Callable(call)],
  ),
)

/** Names that Jinja2 has beside these. */
export const OTHER_NAMES: ReadonlySet<string> = new Set(
  'lipsum cycler joiner self super caller varargs kwargs'.split(' '),
)

function range({ positional, keyword }: CallArguments, budget: Budget): Value {
  if (keyword.size > 0 || positional.length < 1 || positional.length > 3)
    throw failed('range() takes 1 to 3 integers')
  const numbers = positional.map((given) => {
    const value = typeof given === 'boolean' ? Number(given) : given
    if (typeof value !== 'number')
      throw failed(`'${typeName(value)}' object cannot be interpreted as an integer`)
    return value
  })
  const [start, stop, step] =
    numbers.length === 1 ? [0, numbers[0], 1] : [numbers[0], numbers[1], numbers[2] ?? 1]
  if (step === 0) throw failed('range() arg 3 must not be zero')
  const count = Math.max(0, Math.ceil((stop - start) / step))
  if (count > MAX_RANGE) throw unsupported(`a range of ${count}`, `is longer than ${MAX_RANGE}`)
  budget.take(count)
  return new Iterable(
    'range',
    Array.from({ length: count }, (_, i) => start + i * step),
  )
}

function dict(args: CallArguments, budget: Budget): Value {
  return new Map(entries('dict', args, budget))
}

function namespace(args: CallArguments, budget: Budget): Value {
  const values = new Map(entries('namespace', args, budget))
  for (const name of values.keys()) checkAttribute(name)
  return new Namespace(values)
}

/** @throws ChatError `template_unsupported` for a name that a namespace takes and does not give */
export function checkAttribute(name: string): void {
  if (name.startsWith('_')) throw unsupported(`the attribute \`${name}\` of a namespace`)
}

function entries(name: string, { positional, keyword }: CallArguments, budget: Budget): [string, Value][] {
  if (positional.length > 1) throw failed(`${name} expected at most 1 argument`)
  const [from] = positional
  if (from === undefined) return [...keyword]
  if (!isDict(from) || [...from.keys()].some((key) => typeof key !== 'string'))
    throw unsupported(`\`${name}\` of a ${typeName(from)}`)
  budget.takeItems(from.size)
  return [...new Map([...(from as ReadonlyMap<string, Value>), ...keyword])]
}

function raise({ positional, keyword }: CallArguments, budget: Budget): never {
  if (positional.length !== 1 || keyword.size > 0) throw failed('raise_exception() takes one argument')
  throw failed(text(positional[0], budget))
}

function now({ positional, keyword }: CallArguments, budget: Budget): Value {
  const [format] = positional
  if (keyword.size > 0 || format instanceof Markup) throw unsupported('an argument of `strftime_now`')
  if (typeof format !== 'string' || positional.length > 1) throw failed('strftime_now() takes a str')
  budget.take(format.length)
  return strftime(new Date(), format)
}
