import { failed, unsupported } from '../errors.js'
import { type Budget, VALUE_STEPS } from './budget.js'
import { keyOrder } from './operators.js'
import { Output } from './output.js'
import { Float, isDict, isList, Markup, Tuple, typeName, Undefined, type Value } from './values.js'

/** `str(value)`, as output and `~` have it. */
export function text(value: Value, budget: Budget): string {
  if (typeof value === 'string') {
    budget.takeText(value.length)
    return value
  }
  if (value instanceof Undefined) return ''
  if (value instanceof Markup) return text(value.text, budget)
  if (value instanceof Tuple || isList(value) || isDict(value)) return new Writer(budget).text(value)
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

/** A value as `json.dumps` writes it. */
export function jsonText(value: Value, options: JsonOptions, budget: Budget): string {
  return new Writer(budget, options).text(value)
}

const ONE_LINE: Omit<JsonOptions, 'ensureAscii'> = {
  indent: undefined,
  separators: [', ', ': '],
  sortKeys: false,
}
/** Nanoseconds of a character that is looked at, and of one that is escaped. */
const [WEIGHT, ESCAPE_WEIGHT] = [3, 100]
/** Characters that are escaped at a time: a refusal comes after few. */
const SLICE = 4096
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is escaped
const ESCAPED = /[\x00-\x1f\x7f\\'"]/g
const BEYOND_ASCII = /[\x7f-\uffff]/g
const SHORT: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t', '\\': '\\\\' }

/** Writes `repr` of a value, as a list has it of its elements; or JSON. */
class Writer {
  readonly #output: Output
  #level = 0

  constructor(
    private readonly budget: Budget,
    private readonly json?: JsonOptions,
  ) {
    this.#output = new Output(budget)
  }

  text(value: Value): string {
    this.#value(value)
    return this.#output.toString()
  }

  #value(value: Value): void {
    const { budget, json } = this
    budget.enter(VALUE_STEPS)
    if (typeof value === 'string') this.#string(value)
    else if (isDict(value)) this.#dict([...value])
    else if (isList(value)) this.#all('[', value, ']', (each) => this.#value(each))
    else if (value instanceof Tuple) {
      const { items } = value
      const [open, close] = json === undefined ? ['(', items.length === 1 ? ',)' : ')'] : ['[', ']']
      this.#all(open, items, close, (each) => this.#value(each))
    } else if (value instanceof Markup || (json === undefined && value instanceof Undefined))
      throw unsupported(`the text of a ${typeName(value)} in another value`)
    else if (json === undefined || value instanceof Float) this.#output.write(plainText(value))
    else if (value === null || typeof value !== 'object') this.#output.write(String(value))
    else throw failed(`Object of type ${typeName(value)} is not JSON serializable`)
    budget.leave()
  }

  #dict(entries: [string | number, Value][]): void {
    const { budget, json } = this
    if (json?.sortKeys) entries.sort(([a], [b]) => keyOrder(a, b, budget))
    this.#all('{', entries, '}', ([name, value]) => {
      this.#value(json === undefined ? name : String(name))
      this.#output.write((json ?? ONE_LINE).separators[1])
      this.#value(value)
    })
  }

  #all<Item>(open: string, items: readonly Item[], close: string, write: (item: Item) => void): void {
    const { indent, separators } = this.json ?? ONE_LINE
    const output = this.#output
    const line = () => {
      if (indent === undefined) return
      output.write('\n')
      output.write(indent.repeat(this.#level))
    }
    output.write(open)
    this.#level++
    items.forEach((item, i) => {
      if (i > 0) output.write(separators[0])
      line()
      write(item)
    })
    this.#level--
    if (items.length > 0) line()
    output.write(close)
  }

  #string(value: string): void {
    this.budget.takeText(value.length, WEIGHT)
    const json = JSON.stringify(value)
    if (this.json === undefined) this.#quoted(value)
    else if (!this.json.ensureAscii) this.#output.write(json)
    else this.#escaped(json, BEYOND_ASCII, (unit) => hexEscape('u', unit, 4))
  }

  /** `repr` of a str. Which characters beyond ASCII it escapes depends on the version of Unicode. */
  #quoted(value: string): void {
    if (/[\u0080-\uffff]/.test(value))
      throw unsupported('the text of a list or a dict', 'is rendered for ASCII alone')
    const quote = value.includes("'") && !value.includes('"') ? '"' : "'"
    this.#output.write(quote)
    this.#escaped(value, ESCAPED, (character) => {
      if (character === "'" || character === '"') return character === quote ? `\\${quote}` : character
      return SHORT[character] ?? hexEscape('x', character, 2)
    })
    this.#output.write(quote)
  }

  /** A text with an escape in place of each character that is found. */
  #escaped(value: string, pattern: RegExp, escaped: (character: string) => string): void {
    for (let at = 0; at < value.length; at += SLICE)
      this.#output.write(
        value.slice(at, at + SLICE).replace(pattern, (character) => {
          this.budget.takeText(1, ESCAPE_WEIGHT)
          return escaped(character)
        }),
      )
  }
}

/** `\x0b`, `\u00e9`. */
function hexEscape(letter: string, character: string, digits: number): string {
  return `\\${letter}${character.charCodeAt(0).toString(16).padStart(digits, '0')}`
}
