import { failed, unsupported } from '../refusals.js'
import { attribute, item, slice } from './attributes.js'
import type { Budget } from './budget.js'
import { filter } from './filters.js'
import type { Frame } from './frame.js'
import { GLOBALS, OTHER_GLOBALS } from './globals.js'
import type { Arguments, Expression } from './nodes.js'
import { binary, compare, negative } from './operators.js'
import { test } from './tests.js'
import {
  type CallArguments,
  Callable,
  Float,
  isList,
  key,
  Loop,
  Markup,
  Namespace,
  Tuple,
  text,
  truth,
  typeName,
  Undefined,
  undefinedError,
  type Value,
} from './values.js'

/** What expressions are evaluated in. */
export interface Context {
  /** Names of variables whose values nobody knows. */
  readonly unknown: ReadonlySet<string>
  readonly budget: Budget
  /** While a loop's condition is evaluated: Jinja2 does that between the turns of the loop. */
  isFiltering: boolean
}

/** The value of an expression. @throws InletError `template_unsupported`, `template_failed` */
export function evaluate(expression: Expression, frame: Frame, context: Context): Value {
  context.budget.take()
  const value = (inner: Expression) => evaluate(inner, frame, context)
  switch (expression.kind) {
    case 'constant':
      return expression.value
    case 'float':
      return new Float(expression.value)
    case 'name':
      return nameValue(expression.name, frame, context)
    case 'list':
      return expression.items.map(value)
    case 'tuple':
      return new Tuple(expression.items.map(value))
    case 'dict':
      return new Map(expression.items.map(([name, inner]) => [key(value(name)), value(inner)]))
    case 'attribute':
      return attribute(readable(value(expression.object), context), expression.name)
    case 'item':
      return item(readable(value(expression.object), context), value(expression.key))
    case 'slice': {
      const bound = (inner: Expression | undefined) => (inner === undefined ? null : value(inner))
      const object = value(expression.object)
      counted(object, context)
      return slice(object, bound(expression.start), bound(expression.stop), bound(expression.step))
    }
    case 'call': {
      const callee = value(expression.callee)
      return counted(call(callee, argumentsOf(expression.args, value)), context)
    }
    case 'filter': {
      const input = value(expression.input!)
      if (expression.name === 'safe') return new Markup(text(input))
      counted(input, context)
      return counted(filter(expression.name, input, argumentsOf(expression.args, value)), context)
    }
    case 'test':
      return test(expression.name, value(expression.input), argumentsOf(expression.args, value))
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
      return counted(binary(expression.operator, value(expression.left), value(expression.right)), context)
    case 'concat':
      return counted(expression.items.map((part) => text(value(part))).join(''), context)
    case 'compare':
      return comparison(expression, value, context)
    case 'condition':
      if (truth(value(expression.test))) return value(expression.then)
      return expression.otherwise === undefined
        ? new Undefined('the inline if-expression without else')
        : value(expression.otherwise)
  }
}

function nameValue(name: string, frame: Frame, { unknown }: Context): Value {
  const value = frame.get(name)
  if (value !== undefined) return value
  if (unknown.has(name)) throw unsupported(`\`${name}\``, 'is not in the tokenizer’s files')
  const global = GLOBALS.get(name)
  if (global !== undefined) return global
  if (OTHER_GLOBALS.has(name)) throw unsupported(`\`${name}\``)
  if (name === 'self' || name === 'super' || name === 'caller' || name === 'varargs' || name === 'kwargs')
    throw unsupported(`\`${name}\``)
  return new Undefined(`'${name}'`)
}

function readable(object: Value, { isFiltering }: Context): Value {
  if (isFiltering && object instanceof Namespace && !(object instanceof Loop))
    throw unsupported("a loop's condition", 'reads a namespace')
  return object
}

/** Counts the work that a value of that size is. */
function counted<V extends Value>(value: V, { budget }: Context): V {
  if (typeof value === 'string') budget.takeText(value.length)
  else if (isList(value)) budget.take(value.length)
  return value
}

function comparison(
  { first, rest }: Extract<Expression, { kind: 'compare' }>,
  value: (inner: Expression) => Value,
  context: Context,
): boolean {
  let left = counted(value(first), context)
  for (const [operator, inner] of rest) {
    const right = counted(value(inner), context)
    if (!compare(operator, left, right)) return false
    left = right
  }
  return true
}

/** Calls a value. @throws InletError `template_failed` for one that cannot be called */
function call(callee: Value, args: CallArguments): Value {
  if (callee instanceof Callable) return callee.call(args)
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
