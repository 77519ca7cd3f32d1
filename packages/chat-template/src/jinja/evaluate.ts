import { failed, unsupported } from '../refusals.js'
import { attribute, item, slice } from './attributes.js'
import type { Budget } from './budget.js'
import { filter } from './filters.js'
import type { Frame } from './frame.js'
import { GLOBALS, OTHER_GLOBALS } from './globals.js'
import type { Arguments, Expression } from './nodes.js'
import { binary, compare, negative } from './operators.js'
import { joined } from './string-methods.js'
import { test } from './tests.js'
import { text } from './text.js'
import {
  type CallArguments,
  Callable,
  Float,
  key,
  made,
  Namespace,
  Tuple,
  truth,
  typeName,
  Undefined,
  undefinedError,
  type Value,
} from './values.js'

/** The state in which expressions are evaluated. */
export interface Context {
  /** Names of variables whose values are unknown. */
  readonly unknown: ReadonlySet<string>
  readonly budget: Budget
  /** While a loop's condition is evaluated: Jinja2 does that between the turns of the loop. */
  isFiltering: boolean
}

/** The value of an expression. @throws ChatError `template_unsupported`, `template_failed` */
export function evaluate(expression: Expression, frame: Frame, context: Context): Value {
  const { budget } = context
  budget.take()
  budget.enter()
  const value = computed(expression, frame, context)
  budget.leave()
  return value
}

function computed(expression: Expression, frame: Frame, context: Context): Value {
  const { budget } = context
  const value = (inner: Expression) => evaluate(inner, frame, context)
  switch (expression.kind) {
    case 'constant':
      return expression.value
    case 'float':
      return new Float(expression.value)
    case 'name':
      return nameValue(expression.name, frame, context)
    case 'list':
      return made(expression.items.map(value), budget)
    case 'tuple':
      return made(new Tuple(expression.items.map(value)), budget)
    case 'dict': {
      const entries = expression.items.map(([name, inner]) => [key(value(name)), value(inner)] as const)
      return made(new Map(entries), budget)
    }
    case 'attribute':
      return found(attribute(readable(value(expression.object), context), expression.name), budget)
    case 'item':
      return found(item(readable(value(expression.object), context), value(expression.key), budget), budget)
    case 'slice': {
      const bound = (inner: Expression | undefined) => (inner === undefined ? null : value(inner))
      const object = value(expression.object)
      const [start, stop, step] = [expression.start, expression.stop, expression.step].map(bound)
      return made(slice(object, start!, stop!, step!, budget), budget)
    }
    case 'call': {
      const callee = value(expression.callee)
      return made(call(callee, argumentsOf(expression.args, value), budget), budget)
    }
    case 'filter': {
      const input = value(expression.input!)
      return filter(expression.name, input, argumentsOf(expression.args, value), budget)
    }
    case 'test':
      return test(expression.name, value(expression.input), argumentsOf(expression.args, value), budget)
    case 'not':
      return !truth(value(expression.operand))
    case 'negative':
      return negative(value(expression.operand))
    case 'positive': {
      const operand = value(expression.operand)
      if (typeof operand === 'number') return operand
      throw unsupported(`\`+\` before a ${typeName(operand)}`)
    }
    case 'and': {
      const left = value(expression.left)
      return truth(left) ? value(expression.right) : left
    }
    case 'or': {
      const left = value(expression.left)
      return truth(left) ? left : value(expression.right)
    }
    case 'binary':
      return made(
        binary(expression.operator, value(expression.left), value(expression.right), budget),
        budget,
      )
    case 'concat': {
      const parts = expression.items.map((part) => text(value(part), budget))
      return made(joined(parts, '', budget), budget)
    }
    case 'compare':
      return comparison(expression, value, budget)
    case 'condition':
      if (truth(value(expression.test))) return value(expression.then)
      return expression.otherwise === undefined
        ? new Undefined('the inline if-expression without else')
        : value(expression.otherwise)
  }
}

function nameValue(name: string, frame: Frame, { unknown, budget }: Context): Value {
  const value = frame.get(name)
  if (value !== undefined) return value
  if (unknown.has(name)) throw unsupported(`\`${name}\``, 'is not in the tokenizer’s files')
  const global = GLOBALS.get(name)
  if (global !== undefined) return global
  if (OTHER_GLOBALS.has(name)) throw unsupported(`\`${name}\``)
  if (name === 'self' || name === 'super' || name === 'caller' || name === 'varargs' || name === 'kwargs')
    throw unsupported(`\`${name}\``)
  return made(new Undefined(`'${name}'`), budget)
}

function readable(object: Value, { isFiltering }: Context): Value {
  if (isFiltering && object instanceof Namespace) throw unsupported("a loop's condition", 'reads a namespace')
  return object
}

/** What an object has is there already, but for its methods and for what is not there. */
function found(value: Value, budget: Budget): Value {
  return value instanceof Callable || value instanceof Undefined ? made(value, budget) : value
}

function comparison(
  { first, rest }: Extract<Expression, { kind: 'compare' }>,
  value: (inner: Expression) => Value,
  budget: Budget,
): boolean {
  let left = value(first)
  for (const [operator, inner] of rest) {
    const right = value(inner)
    if (!compare(operator, left, right, budget)) return false
    left = right
  }
  return true
}

/** Calls a value. @throws ChatError `template_failed` for one that cannot be called */
function call(callee: Value, args: CallArguments, budget: Budget): Value {
  if (callee instanceof Callable) return callee.call(args, budget)
  if (callee instanceof Undefined) throw undefinedError(callee)
  throw failed(`'${typeName(callee)}' object is not callable`)
}

/** The values of arguments. */
export function argumentsOf(
  { positional, keyword }: Arguments,
  value: (inner: Expression) => Value,
): CallArguments {
  if (positional.length === 0 && keyword.length === 0) return NO_ARGUMENTS
  const values = positional.map(value)
  const byName = new Map(keyword.map(([name, inner]) => [name, value(inner)] as const))
  if (byName.size < keyword.length) throw failed('keyword argument repeated')
  return { positional: values, keyword: byName }
}

const NO_ARGUMENTS: CallArguments = { positional: [], keyword: new Map() }
