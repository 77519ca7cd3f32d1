import { failed } from '../refusals.js'
import { type Budget, VALUE_STEPS } from './budget.js'
import { textOrder } from './operators.js'
import { floatText } from './text.js'
import {
  Callable,
  type Dict,
  Float,
  Iterable,
  isDict,
  Markup,
  Namespace,
  Tuple,
  typeName,
  Undefined,
  type Value,
} from './values.js'

/** The arguments of `json.dumps` that transformers' `tojson` passes on. */
export interface JsonOptions {
  readonly ensureAscii: boolean
  /** Spaces of a level, or the text of one; undefined: all in one line. */
  readonly indent: string | undefined
  readonly separators: readonly [string, string]
  readonly sortKeys: boolean
}

/** A value as `json.dumps` writes it. */
export function jsonText(value: Value, options: JsonOptions, budget: Budget, level = 0): string {
  budget.take(VALUE_STEPS)
  if (value === null) return 'null'
  if (typeof value === 'boolean' || typeof value === 'number') return String(value)
  if (typeof value === 'string') return stringText(value, options, budget)
  if (value instanceof Float) return floatText(value)
  if (
    value instanceof Undefined ||
    value instanceof Namespace ||
    value instanceof Callable ||
    value instanceof Iterable ||
    value instanceof Markup
  )
    throw failed(`Object of type ${typeName(value)} is not JSON serializable`)
  budget.enter()
  const parts = isDict(value)
    ? members(value, options, budget, level)
    : (value instanceof Tuple ? value.items : value).map((each) => jsonText(each, options, budget, level + 1))
  budget.leave()
  return wrapped(parts, isDict(value) ? '{}' : '[]', options, budget, level)
}

function members(dict: Dict, options: JsonOptions, budget: Budget, level: number): string[] {
  let entries = [...dict]
  if (options.sortKeys) entries = entries.sort(([a], [b]) => keyOrder(a, b))
  return entries.map(([name, value]) => {
    const member = jsonText(value, options, budget, level + 1)
    return `${stringText(String(name), options, budget)}${options.separators[1]}${member}`
  })
}

function keyOrder(a: string | number, b: string | number): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b
  if (typeof a === 'string' && typeof b === 'string') return textOrder(a, b)
  throw failed("'<' not supported between instances of 'str' and 'int'")
}

function wrapped(
  parts: readonly string[],
  [open, close]: string,
  { indent, separators }: JsonOptions,
  budget: Budget,
  level: number,
): string {
  if (parts.length === 0) return `${open}${close}`
  if (indent === undefined) return open + parts.join(separators[0]) + close
  budget.takeText(parts.length * indent.length * (level + 1))
  const line = `\n${indent.repeat(level + 1)}`
  return `${open}${line}${parts.join(separators[0] + line)}\n${indent.repeat(level)}${close}`
}

function stringText(value: string, { ensureAscii }: JsonOptions, budget: Budget): string {
  budget.takeText(value.length)
  const json = JSON.stringify(value)
  if (!ensureAscii) return json
  return json.replace(/[\x7f-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
