import { failed, unsupported } from '../errors.js'
import type { Budget } from './budget.js'
import { compare } from './operators.js'
import { type CallArguments, typeName, type Value } from './values.js'

type Test = (value: Value, other: Value, budget: Budget) => boolean

/** A test of a value's type. @param unknown types for which the answer is not known here */
function ofType(types: string, unknown = ''): Test {
  const [holds, refused] = [types.split(' '), unknown.split(' ')]
  return (value) => {
    const type = typeName(value)
    if (refused.includes(type)) throw unsupported(`a test of the type of a ${type}`)
    return holds.includes(type)
  }
}

const by =
  (operator: string): Test =>
  (value, other, budget) =>
    compare(operator, value, other, budget)

/** `value % divisor`, of ints. */
function modulo(value: Value, divisor: Value): number {
  if (typeof value === 'number' && typeof divisor === 'number' && divisor !== 0)
    return Math.abs(value % divisor)
  throw unsupported(`a remainder of a ${typeName(value)}`)
}

/** Tests with an operand. */
const BINARY: ReadonlyMap<string, Test> = new Map<string, Test>([
  ['divisibleby', (value, divisor) => modulo(value, divisor) === 0],
  ...['eq', 'equalto'].map((name) => [name, by('==')] as const),
  ['ne', by('!=')],
  ...['lt', 'lessthan'].map((name) => [name, by('<')] as const),
  ['le', by('<=')],
  ...['gt', 'greaterthan'].map((name) => [name, by('>')] as const),
  ['ge', by('>=')],
  ['in', by('in')],
])

const UNARY: ReadonlyMap<string, Test> = new Map<string, Test>([
  ['defined', (value) => typeName(value) !== 'Undefined'],
  ['undefined', ofType('Undefined')],
  ['none', ofType('NoneType')],
  ['true', (value) => value === true],
  ['false', (value) => value === false],
  ['boolean', ofType('bool')],
  ['string', ofType('str')],
  ['integer', ofType('int')],
  ['float', ofType('float')],
  ['number', ofType('int float bool')],
  ['mapping', ofType('dict')],
  ['sequence', ofType('str tuple list dict Undefined', 'view range iterator Namespace LoopContext')],
  ['iterable', ofType('str tuple list dict Undefined view range iterator', 'Namespace LoopContext')],
  ['callable', ofType('function', 'Undefined Namespace LoopContext')],
  ['odd', (value) => modulo(value, 2) === 1],
  ['even', (value) => modulo(value, 2) === 0],
])

/** The names of Jinja2's tests: with any other name no template is read. */
export const TEST_NAMES: ReadonlySet<string> = new Set([
  ...[...UNARY.keys(), ...BINARY.keys()],
  ...['escaped', 'filter', 'lower', 'sameas', 'test', 'upper'],
])

/** `value is name(…)`. @throws ChatError `template_unsupported`, `template_failed` */
export function test(
  name: string,
  value: Value,
  { positional, keyword }: CallArguments,
  budget: Budget,
): boolean {
  const known = UNARY.get(name) ?? BINARY.get(name)
  if (known === undefined || keyword.size > 0) throw unsupported(`test \`${name}\``)
  if (typeName(value) === 'Markup' && name !== 'defined' && name !== 'undefined')
    throw unsupported(`test \`${name}\` of a text from \`safe\``)
  const count = BINARY.has(name) ? 1 : 0
  if (positional.length !== count) throw failed(`test ${name} takes ${count} arguments`)
  return known(value, positional[0], budget)
}
