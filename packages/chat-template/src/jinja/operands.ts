import { failed, unsupported } from '../refusals.js'
import { FILTER_NAMES } from './filters.js'
import type { Arguments, Expression, Filter } from './nodes.js'
import { TEST_NAMES } from './tests.js'
import type { TokenStream } from './token-stream.js'

/** Deepest nesting of expressions and of blocks. */
const MAX_DEPTH = 100

/** Words that Jinja2 takes for the operand of a test in front of them. */
const CLAUSES = new Set(['is', 'if', 'in', 'not', 'recursive'])

const CONSTANTS: ReadonlyMap<string, boolean | null> = new Map([
  ['true', true],
  ['True', true],
  ['false', false],
  ['False', false],
  ['none', null],
  ['None', null],
])

/** Reads what operators stand between: values, and the attributes, items, calls, filters and tests behind them. */
export abstract class OperandParser {
  #depth = 0

  constructor(protected readonly stream: TokenStream) {}

  abstract expression(): Expression

  protected enter(): void {
    if (++this.#depth > MAX_DEPTH) throw unsupported('nesting', `goes deeper than ${MAX_DEPTH} levels`)
  }

  protected leave(): void {
    this.#depth--
  }

  /** An expression; several with commas are a tuple. */
  tuple(read: () => Expression = () => this.expression()): Expression {
    const first = read()
    if (!this.stream.isOperator(',')) return first
    const items = [first]
    while (this.stream.skip('operator', ',')) {
      if (this.#endsTuple()) break
      items.push(read())
    }
    return { kind: 'tuple', items }
  }

  #endsTuple(): boolean {
    const { type } = this.stream.current
    return type === 'block_end' || type === 'output_end' || this.stream.isOperator(')')
  }

  protected primary(): Expression {
    const { stream } = this
    const { type, value } = stream.next()
    if (type === 'name') {
      const constant = CONSTANTS.get(value)
      return constant === undefined ? { kind: 'name', name: value } : { kind: 'constant', value: constant }
    }
    if (type === 'string') {
      let text = value
      while (stream.is('string')) text += stream.next().value
      return { kind: 'constant', value: text }
    }
    if (type === 'int') {
      const number = Number(value)
      if (!Number.isSafeInteger(number)) throw unsupported(`the number ${value}`)
      return { kind: 'constant', value: number }
    }
    if (type === 'float') return { kind: 'float', value: Number(value) }
    if (type === 'operator') {
      if (value === '(') return this.#parenthesis()
      if (value === '[') return { kind: 'list', items: this.#items(']', () => this.expression()) }
      if (value === '{') return { kind: 'dict', items: this.#items('}', () => this.#pair()) }
    }
    throw failed(`unexpected ${value || type}`)
  }

  #parenthesis(): Expression {
    if (this.stream.skip('operator', ')')) return { kind: 'tuple', items: [] }
    const inner = this.tuple()
    this.stream.expect('operator', ')')
    return inner
  }

  #items<Item>(close: string, read: () => Item): Item[] {
    const items: Item[] = []
    while (!this.stream.isOperator(close)) {
      if (items.length > 0) this.stream.expect('operator', ',')
      if (this.stream.isOperator(close)) break
      items.push(read())
    }
    this.stream.expect('operator', close)
    return items
  }

  #pair(): [Expression, Expression] {
    const key = this.expression()
    this.stream.expect('operator', ':')
    return [key, this.expression()]
  }

  protected postfix(value: Expression): Expression {
    const { stream } = this
    for (let object = value; ; ) {
      if (stream.skip('operator', '.')) {
        const { type, value: name } = stream.next()
        if (type === 'name') object = { kind: 'attribute', object, name }
        else if (type === 'int')
          object = { kind: 'item', object, key: { kind: 'constant', value: Number(name) } }
        else throw failed(`expected a name after '.', got ${name || type}`)
      } else if (stream.skip('operator', '[')) object = this.#subscript(object)
      else if (stream.isOperator('(')) object = { kind: 'call', callee: object, args: this.args() }
      else return object
    }
  }

  #subscript(object: Expression): Expression {
    const { stream } = this
    const part = () => (stream.isOperator(':') || stream.isOperator(']') ? undefined : this.expression())
    const start = part()
    if (!stream.skip('operator', ':')) {
      stream.expect('operator', ']')
      if (start === undefined) throw failed('expected a subscript')
      return { kind: 'item', object, key: start }
    }
    const stop = part()
    const step = stream.skip('operator', ':') ? part() : undefined
    stream.expect('operator', ']')
    return { kind: 'slice', object, start, stop, step }
  }

  protected args(): Arguments {
    const { stream } = this
    const positional: Expression[] = []
    const keyword: [string, Expression][] = []
    stream.expect('operator', '(')
    while (!stream.isOperator(')')) {
      if (positional.length + keyword.length > 0) stream.expect('operator', ',')
      if (stream.isOperator(')')) break
      if (stream.isOperator('*') || stream.isOperator('**')) throw unsupported('unpacked arguments (`*`)')
      const { following } = stream
      if (stream.is('name') && following.type === 'operator' && following.value === '=') {
        const name = stream.next().value
        stream.next()
        keyword.push([name, this.expression()])
      } else if (keyword.length > 0) throw failed('positional argument follows keyword argument')
      else positional.push(this.expression())
    }
    stream.expect('operator', ')')
    return { positional, keyword }
  }

  protected filtersAndTests(value: Expression): Expression {
    const { stream } = this
    for (let input = value; ; ) {
      if (stream.isOperator('|')) input = { kind: 'filter', input, ...this.#filter() }
      else if (stream.skip('name', 'is')) input = this.#test(input)
      else if (stream.isOperator('(')) input = { kind: 'call', callee: input, args: this.args() }
      else return input
    }
  }

  #filter(): Filter {
    this.stream.expect('operator', '|')
    return this.#named()
  }

  #named(): Filter {
    const name = this.stream.expect('name').value
    if (!FILTER_NAMES.has(name)) throw unsupported(`filter \`${name}\``)
    const args = this.stream.isOperator('(') ? this.args() : NO_ARGUMENTS
    return { name, args }
  }

  /** `|a|b(1)`. @param isFirst whether the first one stands without `|` */
  protected filters(isFirst = false): Filter[] {
    const filters = isFirst ? [this.#named()] : []
    while (this.stream.isOperator('|')) filters.push(this.#filter())
    return filters
  }

  #test(input: Expression): Expression {
    const { stream } = this
    const isNegated = stream.skip('name', 'not')
    const name = stream.expect('name').value
    if (!TEST_NAMES.has(name)) throw unsupported(`test \`${name}\``)
    let args = NO_ARGUMENTS
    if (stream.isOperator('(')) args = this.args()
    else if (this.#beginsOperand()) {
      const operand = this.postfix(this.primary())
      args = { positional: [operand], keyword: [] }
    }
    const test: Expression = { kind: 'test', input, name, args }
    return isNegated ? { kind: 'not', operand: test } : test
  }

  /** Whether a test's operand stands here without parentheses: `is divisibleby 3`. */
  #beginsOperand(): boolean {
    const { type, value } = this.stream.current
    if (type === 'name' && CLAUSES.has(value)) throw unsupported(`\`${value}\` behind a test`)
    if (type === 'name') return !['else', 'or', 'and'].includes(value)
    return (
      type === 'string' ||
      type === 'int' ||
      type === 'float' ||
      (type === 'operator' && (value === '[' || value === '{'))
    )
  }
}

const NO_ARGUMENTS: Arguments = { positional: [], keyword: [] }
