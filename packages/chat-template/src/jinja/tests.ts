import { failed, unsupported } from '../refusals.js'
import type { Budget } from './budget.js'
import { compare } from './operators.js'
import {
  type CallArguments,
  Callable,
  Float,
  Iterable,
  isDict,
  isList,
  Loop,
  Markup,
  Namespace,
  Tuple,
  typeName,
  Undefined,
  type Value,
} from './values.js'

type Test = (value: Value, args: readonly Value[], budget: Budget) => boolean

/** The names of Jinja2's tests: with any other name no template is read. */
export const TEST_NAMES: ReadonlySet<string> = new Set(
  'boolean callable defined divisibleby eq equalto escaped even false filter float ge greaterthan gt in integer iterable le lessthan lower lt mapping ne none number odd sameas sequence string test true undefined upper'.split(
    ' ',
  ),
)

/** `value is name(…)`. @throws ChatError `template_unsupported`, `template_failed` */
export function test(
  name: string,
  value: Value,
  { positional, keyword }: CallArguments,
  budget: Budget,
): boolean {
  const known = Object.hasOwn(TESTS, name) ? TESTS[name] : undefined
  if (known === undefined || keyword.size > 0) throw unsupported(`test \`${name}\``)
  if (value instanceof Markup && name !== 'defined' && name !== 'undefined')
    throw unsupported(`test \`${name}\` of a text from \`safe\``)
  const isBinary = BINARY.has(name)
  if (positional.length !== (isBinary ? 1 : 0))
    throw failed(`test ${name} takes ${isBinary ? 'one argument' : 'no argument'}`)
  return known(value, positional, budget)
}

const isInt = (value: Value) => typeof value === 'number'
const isNumber = (value: Value) => isInt(value) || typeof value === 'boolean' || value instanceof Float

const by =
  (operator: string): Test =>
  (value, [other], budget) =>
    compare(operator, value, other!, budget)

/** `value % divisor`, of ints. */
function modulo(value: Value, divisor: Value): number {
  if (typeof value === 'number' && typeof divisor === 'number' && divisor !== 0)
    return Math.abs(value % divisor)
  throw unsupported(`a remainder of a ${typeName(value)}`)
}

const BINARY = new Set([
  'divisibleby',
  'eq',
  'equalto',
  'ne',
  'lt',
  'lessthan',
  'le',
  'gt',
  'greaterthan',
  'ge',
  'in',
])

const TESTS: Readonly<Record<string, Test>> = {
  defined: (value) => !(value instanceof Undefined),
  undefined: (value) => value instanceof Undefined,
  none: (value) => value === null,
  boolean: (value) => typeof value === 'boolean',
  true: (value) => value === true,
  false: (value) => value === false,
  string: (value) => typeof value === 'string',
  integer: isInt,
  float: (value) => value instanceof Float,
  number: isNumber,
  mapping: isDict,
  sequence: (value) => {
    if (value instanceof Iterable || value instanceof Namespace || value instanceof Loop)
      throw unsupported(`test \`sequence\` of a ${typeName(value)}`)
    return (
      typeof value === 'string' ||
      value instanceof Tuple ||
      isList(value) ||
      isDict(value) ||
      value instanceof Undefined
    )
  },
  iterable: (value) => {
    if (value instanceof Namespace || value instanceof Loop)
      throw unsupported('test `iterable` of a namespace')
    return !(value === null || isNumber(value) || value instanceof Callable)
  },
  callable: (value) => {
    if (value instanceof Undefined || value instanceof Namespace || value instanceof Loop)
      throw unsupported('test `callable`')
    return value instanceof Callable
  },
  odd: (value) => modulo(value, 2) === 1,
  even: (value) => modulo(value, 2) === 0,
  divisibleby: (value, [divisor]) => modulo(value, divisor!) === 0,
  eq: by('=='),
  equalto: by('=='),
  ne: by('!='),
  lt: by('<'),
  lessthan: by('<'),
  le: by('<='),
  gt: by('>'),
  greaterthan: by('>'),
  ge: by('>='),
  in: by('in'),
}
