import { unsupported } from '../refusals.js'
import { type Budget, VALUE_STEPS } from './budget.js'
import { Output } from './output.js'
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
  if (!(value instanceof Tuple || isList(value) || isDict(value)))
    throw unsupported(`the text of a ${typeName(value)}`)
  const output = new Output(budget)
  writeRepresentation(value, output, budget)
  return output.toString()
}

/** `repr` of a float: JavaScript's digits, in the range in which both write them without an exponent. */
export function floatText({ value }: Float): string {
  const size = Math.abs(value)
  if (!Number.isFinite(value) || (size !== 0 && (size < 1e-4 || size >= 1e16)))
    throw unsupported('a number', 'has an exponent in Python')
  if (Object.is(value, -0)) return '-0.0'
  return Number.isInteger(value) ? `${value}.0` : String(value)
}

/** Writes `repr(value)`, as a list has it of its elements. */
function writeRepresentation(value: Value, output: Output, budget: Budget): void {
  budget.enter(VALUE_STEPS)
  if (typeof value === 'string') writeQuoted(value, output, budget)
  else if (isList(value)) writeAll('[', value, ']', output, budget)
  else if (value instanceof Tuple)
    writeAll('(', value.items, value.items.length === 1 ? ',)' : ')', output, budget)
  else if (isDict(value)) {
    output.write('{')
    let isFirst = true
    for (const [name, each] of value) {
      if (!isFirst) output.write(', ')
      isFirst = false
      writeRepresentation(name, output, budget)
      output.write(': ')
      writeRepresentation(each, output, budget)
    }
    output.write('}')
  } else if (value instanceof Undefined || value instanceof Markup)
    throw unsupported(`the text of a ${typeName(value)} in a list`)
  else output.write(text(value, budget))
  budget.leave()
}

function writeAll(open: string, values: readonly Value[], close: string, output: Output, budget: Budget) {
  output.write(open)
  values.forEach((value, i) => {
    if (i > 0) output.write(', ')
    writeRepresentation(value, output, budget)
  })
  output.write(close)
}

/** Nanoseconds of a character that is looked at, and of one that is escaped. */
const [WEIGHT, ESCAPE_WEIGHT] = [3, 100]
/** Characters that are escaped at a time: a refusal comes after few. */
const SLICE = 4096
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is escaped
const ESCAPED = /[\x00-\x1f\x7f\\'"]/g

/** Writes a text with an escape in place of each character that is found. */
export function writeEscaped(
  value: string,
  pattern: RegExp,
  escaped: (character: string) => string,
  output: Output,
  budget: Budget,
): void {
  for (let at = 0; at < value.length; at += SLICE)
    output.write(
      value.slice(at, at + SLICE).replace(pattern, (character) => {
        budget.takeText(1, ESCAPE_WEIGHT)
        return escaped(character)
      }),
    )
}

/** `\x0b`, `\u00e9`. */
export function hexEscape(letter: string, character: string, digits: number): string {
  return `\\${letter}${character.charCodeAt(0).toString(16).padStart(digits, '0')}`
}

/** Writes `repr` of a str. Which characters beyond ASCII it escapes depends on the version of Unicode. */
function writeQuoted(value: string, output: Output, budget: Budget): void {
  budget.takeText(value.length, WEIGHT)
  if (/[\u0080-\uffff]/.test(value))
    throw unsupported('the text of a list or a dict', 'is rendered for ASCII alone')
  const quote = value.includes("'") && !value.includes('"') ? '"' : "'"
  const short: Readonly<Record<string, string>> = {
    '\n': '\\n',
    '\r': '\\r',
    '\t': '\\t',
    '\\': '\\\\',
    "'": "'",
    '"': '"',
  }
  const escapes = { ...short, [quote]: `\\${quote}` }
  output.write(quote)
  writeEscaped(
    value,
    ESCAPED,
    (character) => escapes[character] ?? hexEscape('x', character, 2),
    output,
    budget,
  )
  output.write(quote)
}
