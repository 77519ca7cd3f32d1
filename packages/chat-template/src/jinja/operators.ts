import { failed, unsupported } from '../errors.js'
import type { Budget } from './budget.js'
import {
  Float,
  int,
  isDict,
  isList,
  items,
  Markup,
  Tuple,
  typeName,
  Undefined,
  undefinedError,
  type Value,
} from './values.js'

/** `a + b` and the other operators of numbers. */
export function binary(operator: string, left: Value, right: Value, budget: Budget): Value {
  if (left instanceof Undefined) throw undefinedError(left)
  if (operator === '%' && (typeof left === 'string' || left instanceof Markup))
    throw unsupported('`%` of a str')
  if (right instanceof Undefined) throw undefinedError(right)
  if (typeof left === 'number' && typeof right === 'number') return ofInts(operator, left, right)
  if (operator === '+' && typeof left === 'string' && typeof right === 'string') {
    budget.checkText(left.length + right.length)
    return left + right
  }
  const both = pairOf(left, right)
  if (operator === '+' && both !== undefined) {
    const all = both.flat()
    budget.takeItems(all.length)
    return isList(left) ? all : new Tuple(all)
  }
  const types = `'${typeName(left)}' and '${typeName(right)}'`
  const areNumbers = number(left) !== undefined && number(right) !== undefined
  if (
    areNumbers ||
    '*%'.includes(operator) ||
    [left, right].some((each) => UNCERTAIN.includes(typeName(each)))
  )
    throw unsupported(`\`${operator}\` of ${types}`)
  throw failed(`unsupported operand types for ${operator}: ${types}`)
}

/** The elements of two lists, or of two tuples. */
function pairOf(left: Value, right: Value): (readonly Value[])[] | undefined {
  if (isList(left) && isList(right)) return [left, right]
  return left instanceof Tuple && right instanceof Tuple ? [left.items, right.items] : undefined
}

function ofInts(operator: string, left: number, right: number): Value {
  if (operator === '+') return int(left + right)
  if (operator === '-') return int(left - right)
  if (operator === '*') return int(left * right)
  if (right === 0) throw failed('division by zero')
  if (operator === '/') return new Float(left / right)
  const remainder = left % right
  const modulo = remainder !== 0 && remainder < 0 !== right < 0 ? remainder + right : remainder
  return operator === '%' ? int(modulo) : int((left - modulo) / right)
}

/** `left == right`. */
function equal(left: Value, right: Value, budget: Budget): boolean {
  budget.enter()
  const isEqual = equalValues(left, right, budget)
  budget.leave()
  return isEqual
}

function equalValues(left: Value, right: Value, budget: Budget): boolean {
  if (typeof left === 'string' && typeof right === 'string') {
    if (left.length === right.length) budget.takeText(left.length)
    return left === right
  }
  if (left === right) return true
  const [a, b] = [number(left), number(right)]
  if (a !== undefined || b !== undefined) return a === b
  const both = pairOf(left, right)
  if (both !== undefined)
    return both[0].length === both[1].length && both[0].every((value, i) => equal(value, both[1][i], budget))
  if (isDict(left) && isDict(right)) {
    if (left.size !== right.size) return false
    for (const [name, value] of left)
      if (!right.has(name) || !equal(value, right.get(name)!, budget)) return false
    return true
  }
  if (left instanceof Undefined && right instanceof Undefined) return true
  if (isOpaque(left) || isOpaque(right))
    throw unsupported(`a comparison of a ${typeName(left)} and a ${typeName(right)}`)
  return false
}

/** Values that are the same as no other, or as which ones Python alone says. */
const UNCERTAIN = ['Markup', 'view', 'range', 'iterator']
const OPAQUE = ['function', 'Namespace', 'LoopContext', ...UNCERTAIN]
const isOpaque = (value: Value) => OPAQUE.includes(typeName(value))

/** The number that a value is in comparisons: `True == 1`. */
function number(value: Value): number | undefined {
  if (typeof value === 'number' || typeof value === 'boolean') return Number(value)
  return value instanceof Float ? value.value : undefined
}

/** The order of two values: negative, 0 or positive. */
function order(left: Value, right: Value, budget: Budget): number {
  if (left instanceof Undefined) throw undefinedError(left)
  if (right instanceof Undefined) throw undefinedError(right)
  const [a, b] = [number(left), number(right)]
  if (a !== undefined && b !== undefined) return Math.sign(a - b)
  if (typeof left === 'string' && typeof right === 'string') return textOrder(left, right, budget)
  if (isList(left) || left instanceof Tuple || isOpaque(left) || isOpaque(right))
    throw unsupported(`the order of two values of type ${typeName(left)}`)
  throw failed(`'${typeName(left)}' and '${typeName(right)}' have no order`)
}

/** The order of keys. @throws ChatError `template_failed` for a number beside a text */
export function keyOrder(a: string | number, b: string | number, budget: Budget): number {
  budget.takeText(1, 100)
  if (typeof a !== typeof b) throw failed("'<' not supported between instances of 'str' and 'int'")
  return order(a, b, budget)
}

/** The order of characters: units have the same one, but for surrogates. */
function textOrder(left: string, right: string, budget: Budget): number {
  budget.takeText(Math.min(left.length, right.length), 4)
  let i = 0
  while (i < left.length && left[i] === right[i]) i++
  const unit = (text: string) => (i < text.length ? text.charCodeAt(i) : -1)
  const place = (code: number) => (code >= 0xd800 && code <= 0xdfff ? code + 0x10000 : code)
  return place(unit(left)) - place(unit(right))
}

/** `value in container`. */
function contains(container: Value, value: Value, budget: Budget): boolean {
  if (typeof container === 'string') {
    if (typeof value === 'string') {
      budget.takeSearch(container, value)
      return container.includes(value)
    }
    if (value instanceof Markup) throw unsupported('`in` of a text from `safe`')
    throw failed(`'in <string>' requires string as left operand, not ${typeName(value)}`)
  }
  if (isDict(container)) {
    if (value === null || value instanceof Undefined) return false
    if (typeof value === 'string' || typeof value === 'number') return container.has(value)
    throw unsupported(`\`in\` of a ${typeName(value)} and a dict`)
  }
  return items(container, budget).some((each) => equal(each, value, budget))
}

export function compare(operator: string, left: Value, right: Value, budget: Budget): boolean {
  if (operator === '==' || operator === '!=') return equal(left, right, budget) === (operator === '==')
  if (operator === 'in' || operator === 'not in') return contains(right, left, budget) === (operator === 'in')
  const sign = order(left, right, budget)
  if (sign === 0) return operator.endsWith('=')
  return operator.startsWith('<') ? sign < 0 : sign > 0
}

/** `-value`, `+value`. */
export function signed(sign: string, value: Value): Value {
  if (value instanceof Undefined) throw undefinedError(value)
  if (typeof value === 'number') return sign === '-' ? int(-value) : value
  if (value instanceof Float) return sign === '-' ? new Float(-value.value) : value
  throw unsupported(`\`${sign}\` before a ${typeName(value)}`)
}
