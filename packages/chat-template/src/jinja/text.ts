import { failed, unsupported } from '../errors.js'
import { type Budget, Output } from './budget.js'
import { keyOrder } from './operators.js'
import { Float, isDict, isList, Markup, Tuple, typeName, Undefined, type Value } from './values.js'

/** `str(value)`, as output and `~` have it. */
export function text(value: Value, budget: Budget): string {
  if (typeof value === 'string') {
    budget.takeText(value.length)
    return value
  }
  if (value instanceof Undefined) return ''
  if (value instanceof Markup) return text(value.text, budget)
  if (value instanceof Tuple || isList(value) || isDict(value)) return written(value, budget)
  return plainText(value)
}

/** `str(value)` of a value that has no others. */
function plainText(value: Value): string {
  if (value === null) return 'None'
  if (typeof value === 'boolean') return value ? 'True' : 'False'
  if (typeof value === 'number') return String(value)
  if (value instanceof Float) return floatText(value)
  throw unsupported(`the text of a ${typeName(value)}`)
}

/** `repr` of a float: JavaScript's digits, in the range in which both write them without an exponent. */
function floatText({ value }: Float): string {
  const size = Math.abs(value)
  if (!Number.isFinite(value) || (size !== 0 && (size < 1e-4 || size >= 1e16)))
    throw unsupported('a number', 'has an exponent in Python')
  if (Object.is(value, -0)) return '-0.0'
  return Number.isInteger(value) ? `${value}.0` : String(value)
}

/** The arguments of `json.dumps` that transformers' `tojson` passes on. */
interface JsonOptions {
  readonly ensureAscii: boolean
  /** The text of a level; undefined: all in one line. */
  readonly indent: string | undefined
  readonly separators: readonly [string, string]
  readonly sortKeys: boolean
}

const ONE_LINE = { indent: undefined, separators: [', ', ': '], sortKeys: false } as const

/** `repr` of a value, as a list has it of its elements; or what `json.dumps` writes. */
export function written(value: Value, budget: Budget, json?: JsonOptions): string {
  const { indent, separators, sortKeys } = json ?? ONE_LINE
  const output = new Output(budget)
  let level = 0
  write(value)
  return output.toString()

  function write(value: Value): void {
    budget.enter()
    if (typeof value === 'string') output.write(quoted(value, json, budget))
    else if (isDict(value)) {
      const entries = [...value]
      if (sortKeys) entries.sort(([a], [b]) => keyOrder(a, b, budget))
      writeAll('{', entries, '}', ([name, inner]) => {
        write(json === undefined ? name : String(name))
        output.write(separators[1])
        write(inner)
      })
    } else if (isList(value)) writeAll('[', value, ']', write)
    else if (value instanceof Tuple) {
      const { items } = value
      if (json === undefined) writeAll('(', items, items.length === 1 ? ',)' : ')', write)
      else writeAll('[', items, ']', write)
    } else if (value instanceof Markup || (json === undefined && value instanceof Undefined))
      throw unsupported(`the text of a ${typeName(value)} in another value`)
    else if (json === undefined || value instanceof Float) output.write(plainText(value))
    else if (value === null || typeof value !== 'object') output.write(String(value))
    else throw failed(`Object of type ${typeName(value)} is not JSON serializable`)
    budget.leave()
  }

  function writeAll<Item>(open: string, items: readonly Item[], close: string, each: (item: Item) => void) {
    output.write(open)
    level++
    for (const [i, item] of items.entries()) {
      if (i > 0) output.write(separators[0])
      writeLine()
      each(item)
    }
    level--
    if (items.length > 0) writeLine()
    output.write(close)
  }

  function writeLine(): void {
    if (indent !== undefined) output.write(`\n${indent.repeat(level)}`)
  }
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is escaped
const ESCAPED = /[\x00-\x1f\x7f\\'"]/g
const BEYOND_ASCII = /[\x7f-\uffff]/g
const SHORT: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t', '\\': '\\\\' }

/** A text in quotes. Which characters beyond ASCII `repr` escapes depends on the version of Unicode. */
function quoted(value: string, json: JsonOptions | undefined, budget: Budget): string {
  budget.takeText(value.length, 3)
  if (json !== undefined) {
    const text = JSON.stringify(value)
    return json.ensureAscii ? escaped(text, BEYOND_ASCII, (unit) => hexEscape('u', unit, 4), budget) : text
  }
  if (/[\u0080-\uffff]/.test(value))
    throw unsupported('the text of a list or a dict', 'is rendered for ASCII alone')
  const quote = value.includes("'") && !value.includes('"') ? '"' : "'"
  const inner = escaped(
    value,
    ESCAPED,
    (character) => {
      if (character === "'" || character === '"') return character === quote ? `\\${quote}` : character
      return SHORT[character] ?? hexEscape('x', character, 2)
    },
    budget,
  )
  return quote + inner + quote
}

/** Nanoseconds of a character of a text in which some are escaped. */
const ESCAPE_WEIGHT = 25

/** A text with an escape in place of each character that is found. */
function escaped(value: string, pattern: RegExp, by: (character: string) => string, budget: Budget) {
  if (value.search(pattern) < 0) return value
  budget.takeText(value.length, ESCAPE_WEIGHT)
  return value.replace(pattern, by)
}

/** `\x0b`, `\u00e9`. */
function hexEscape(letter: string, character: string, digits: number): string {
  return `\\${letter}${character.charCodeAt(0).toString(16).padStart(digits, '0')}`
}
