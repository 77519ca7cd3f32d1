import { unsupported } from '../refusals.js'
import { type Budget, VALUE_STEPS } from './budget.js'
import { Float, isDict, isList, Markup, Tuple, typeName, Undefined, type Value } from './values.js'

/** `str(value)`, as output and `~` have it. */
export function text(value: Value, budget: Budget): string {
  if (typeof value === 'string') {
    budget.takeText(value.length)
    return value
  }
  if (value === null) return 'None'
  if (value === true) return 'True'
  if (value === false) return 'False'
  if (typeof value === 'number') return String(value)
  if (value instanceof Float) return floatText(value)
  if (value instanceof Undefined) return ''
  if (value instanceof Markup) return text(value.text, budget)
  if (value instanceof Tuple || isList(value) || isDict(value)) return representation(value, budget)
  throw unsupported(`the text of a ${typeName(value)}`)
}

/** `repr` of a float: JavaScript's digits, in the range in which both write them without an exponent. */
export function floatText({ value }: Float): string {
  const size = Math.abs(value)
  if (!Number.isFinite(value) || (size !== 0 && (size < 1e-4 || size >= 1e16)))
    throw unsupported('a number', 'has an exponent in Python')
  if (Object.is(value, -0)) return '-0.0'
  return Number.isInteger(value) ? `${value}.0` : String(value)
}

/** `repr(value)`, as a list has it of its elements. */
function representation(value: Value, budget: Budget): string {
  budget.take(VALUE_STEPS)
  budget.enter()
  const made = ofValue(value, budget)
  budget.leave()
  return made
}

function ofValue(value: Value, budget: Budget): string {
  const inner = (each: Value) => representation(each, budget)
  if (typeof value === 'string') return quotedText(text(value, budget))
  if (isList(value)) return `[${value.map(inner).join(', ')}]`
  if (value instanceof Tuple) {
    const [first, ...rest] = value.items
    if (first !== undefined && rest.length === 0) return `(${inner(first)},)`
    return `(${value.items.map(inner).join(', ')})`
  }
  if (isDict(value))
    return `{${[...value].map(([name, each]) => `${inner(name)}: ${inner(each)}`).join(', ')}}`
  if (value instanceof Undefined || value instanceof Markup)
    throw unsupported(`the text of a ${typeName(value)} in a list`)
  return text(value, budget)
}

/** `repr` of a str. Which characters beyond ASCII it escapes depends on the version of Unicode. */
function quotedText(value: string): string {
  if (/[\u0080-\uffff]/.test(value))
    throw unsupported('the text of a list or a dict', 'is rendered for ASCII alone')
  const quote = value.includes("'") && !value.includes('"') ? '"' : "'"
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is escaped
  const inner = value.replace(/[\x00-\x1f\x7f\\'"]/g, (character) => {
    if (character === '\\') return '\\\\'
    if (character === "'" || character === '"') return character === quote ? `\\${character}` : character
    const short = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }[character]
    return short ?? `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`
  })
  return quote + inner + quote
}
