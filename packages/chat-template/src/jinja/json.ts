import { failed, unsupported } from '../refusals.js'
import { type Budget, VALUE_STEPS } from './budget.js'
import { textOrder } from './operators.js'
import { Output } from './output.js'
import { floatText, hexEscape, writeEscaped } from './text.js'
import { type Dict, Float, isDict, isList, Markup, Tuple, typeName, type Value } from './values.js'

/** The arguments of `json.dumps` that transformers' `tojson` passes on. */
export interface JsonOptions {
  readonly ensureAscii: boolean
  /** Spaces of a level, or the text of one; undefined: all in one line. */
  readonly indent: string | undefined
  readonly separators: readonly [string, string]
  readonly sortKeys: boolean
}

/** A value as `json.dumps` writes it. */
export function jsonText(value: Value, options: JsonOptions, budget: Budget): string {
  const output = new Output(budget)
  new Writer(options, output, budget).value(value)
  return output.toString()
}

/** Nanoseconds of a character. */
const WEIGHT = 3
const BEYOND_ASCII = /[\x7f-\uffff]/g

class Writer {
  #level = 0

  constructor(
    private readonly options: JsonOptions,
    private readonly output: Output,
    private readonly budget: Budget,
  ) {}

  value(value: Value): void {
    this.budget.take(VALUE_STEPS)
    if (value === null || typeof value === 'boolean' || typeof value === 'number')
      this.output.write(String(value))
    else if (typeof value === 'string') this.#string(value)
    else if (value instanceof Float) this.output.write(floatText(value))
    else if (isDict(value)) this.#all('{', this.#entries(value), '}', (entry) => this.#member(entry))
    else if (isList(value)) this.#all('[', value, ']', (each) => this.value(each))
    else if (value instanceof Tuple) this.#all('[', value.items, ']', (each) => this.value(each))
    else if (value instanceof Markup) throw unsupported('JSON of a text from `safe`')
    else throw failed(`Object of type ${typeName(value)} is not JSON serializable`)
  }

  #all<Item>(open: string, items: readonly Item[], close: string, write: (item: Item) => void): void {
    const { options, output, budget } = this
    const line = (level: number) => {
      if (options.indent === undefined) return
      output.write('\n')
      output.write(options.indent.repeat(level))
    }
    output.write(open)
    budget.enter()
    this.#level++
    items.forEach((item, i) => {
      if (i > 0) output.write(options.separators[0])
      line(this.#level)
      write(item)
    })
    this.#level--
    budget.leave()
    if (items.length > 0) line(this.#level)
    output.write(close)
  }

  #entries(dict: Dict): [string | number, Value][] {
    const entries = [...dict]
    return this.options.sortKeys ? entries.sort(([a], [b]) => keyOrder(a, b, this.budget)) : entries
  }

  #member([name, value]: [string | number, Value]): void {
    this.#string(String(name))
    this.output.write(this.options.separators[1])
    this.value(value)
  }

  #string(value: string): void {
    this.budget.takeText(value.length, WEIGHT)
    const json = JSON.stringify(value)
    if (!this.options.ensureAscii) this.output.write(json)
    else writeEscaped(json, BEYOND_ASCII, (unit) => hexEscape('u', unit, 4), this.output, this.budget)
  }
}

/** The order of keys. @throws ChatError `template_failed` for a number beside a text */
export function keyOrder(a: string | number, b: string | number, budget: Budget): number {
  budget.takeText(1, 100)
  if (typeof a === 'number' && typeof b === 'number') return a - b
  if (typeof a === 'string' && typeof b === 'string') return textOrder(a, b, budget)
  throw failed("'<' not supported between instances of 'str' and 'int'")
}
