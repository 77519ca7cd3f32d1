import { failed, unsupported } from '../errors.js'
import { attribute, item, slice } from './attributes.js'
import type { Budget } from './budget.js'
import { FILTER_NAMES, filter } from './filters.js'
import type { Frame } from './frame.js'
import { GLOBALS, OTHER_NAMES } from './globals.js'
import type { Token } from './lexer.js'
import { binary, compare, signed } from './operators.js'
import { Scope } from './scopes.js'
import { joined } from './string-methods.js'
import { TEST_NAMES, test } from './tests.js'
import { text } from './text.js'
import {
  type CallArguments,
  Callable,
  Float,
  int,
  key,
  made,
  Namespace,
  NO_ARGUMENTS,
  Tuple,
  truth,
  typeName,
  Undefined,
  undefinedError,
  type Value,
} from './values.js'

/** An expression as it was read: what computes its value. @throws ChatError `template_unsupported`, `template_failed` */
export type Expression = (frame: Frame) => Value
type Arguments = (frame: Frame) => CallArguments
/** `|name(…)`: what computes its value of an input. */
export type Applied = (input: Value, frame: Frame) => Value

/** Deepest nesting of expressions and of blocks. */
const MAX_DEPTH = 100
/** Tokens between two pauses: some tenths of a millisecond. */
const PAUSE_TOKENS = 500
/** Words that Jinja2 takes for the operand of a test in front of them. */
const CLAUSES = new Set(['is', 'if', 'in', 'not', 'recursive'])
export const CONSTANTS: ReadonlyMap<string, boolean | null> = new Map(
  Object.entries({ true: true, True: true, false: false, False: false, none: null, None: null }),
)
const COMPARISONS = ['==', '!=', '<', '<=', '>', '>=']

/**
 * Reads expressions with the precedences of Jinja2's own parser, lowest first: condition, or, and, not, comparison, + -,
 * ~, * / // %, **, sign, then what follows a value: attributes, items, calls, filters and tests.
 */
export class ExpressionParser {
  #at = 0
  #paused = 0
  #depth = 0
  protected scope = new Scope(new Set())

  constructor(private readonly tokens: readonly Token[]) {}

  /** Whether the token is this one. @param ahead places behind the next token */
  protected is(type: Token['type'], value?: string, ahead = 0): boolean {
    const token = this.tokens[this.#at + ahead]
    return token?.type === type && (value === undefined || token.value === value)
  }

  protected next(): Token {
    const token = this.tokens[this.#at]
    if (token.type !== 'end') this.#at++
    return token
  }

  /** Takes the next token, and gives its value, if it is of this type and one of these. */
  protected skip(type: Token['type'], ...values: readonly string[]): string | undefined {
    const next = this.tokens[this.#at]
    const isNext = next.type === type && (values.length === 0 || values.includes(next.value))
    return isNext ? this.next().value : undefined
  }

  /** The value of the next token. @throws ChatError `template_failed` if it is another one */
  protected expect(type: Token['type'], value?: string): string {
    const isNext = this.is(type, value)
    const token = this.next()
    if (isNext) return token.value
    throw failed(`expected ${value ?? type}, got ${token.value}`)
  }

  /** Whether many tokens have been taken since this was true. */
  protected get isPauseDue(): boolean {
    if (this.#at - this.#paused < PAUSE_TOKENS) return false
    this.#paused = this.#at
    return true
  }

  protected enter(): void {
    if (++this.#depth > MAX_DEPTH) throw unsupported('nesting', `goes deeper than ${MAX_DEPTH} levels`)
  }

  protected leave(): void {
    this.#depth--
  }

  #deeper(read: () => Expression): Expression {
    this.enter()
    const inner = read()
    this.leave()
    return inner
  }

  expression(): Expression {
    return this.#deeper(() => {
      let whole = this.withoutCondition()
      while (this.skip('name', 'if')) {
        const [then, test] = [whole, this.withoutCondition()]
        const otherwise = this.skip('name', 'else') ? this.expression() : WITHOUT_ELSE
        whole = node((frame) => (truth(test(frame)) ? then(frame) : otherwise(frame)))
      }
      return whole
    })
  }

  /** An expression without `a if b`. */
  withoutCondition(): Expression {
    const and = () => this.#chain('name', ['and'], () => this.#not(), logical)
    return this.#chain('name', ['or'], and, logical)
  }

  #not(): Expression {
    if (!this.skip('name', 'not')) return this.#comparison()
    return negated(this.#deeper(() => this.#not()))
  }

  #comparison(): Expression {
    const first = this.#sum()
    const rest: [string, Expression][] = []
    for (let operator = this.#comparator(); operator !== undefined; operator = this.#comparator())
      rest.push([operator, this.#sum()])
    if (rest.length === 0) return first
    return node((frame, budget) => {
      let right = first(frame)
      return rest.every(([operator, inner]) => {
        const left = right
        right = inner(frame)
        return compare(operator, left, right, budget)
      })
    })
  }

  #comparator(): string | undefined {
    if (this.skip('name', 'in')) return 'in'
    if (this.is('name', 'not') && this.is('name', 'in', 1)) return `${this.next().value} ${this.next().value}`
    return this.skip('operator', ...COMPARISONS)
  }

  #sum(): Expression {
    return this.#chain('operator', ['+', '-'], () => this.#concatenation(), arithmetic)
  }

  #concatenation(): Expression {
    const parts = [this.#product()]
    while (this.skip('operator', '~')) parts.push(this.#product())
    if (parts.length === 1) return parts[0]
    return node((frame, budget) => {
      const texts = parts.map((part) => text(part(frame), budget))
      return made(joined(texts, '', budget), budget)
    })
  }

  #product(): Expression {
    return this.#chain('operator', ['*', '/', '//', '%'], () => this.#signed(), arithmetic)
  }

  /** Operators of one level, from the left. */
  #chain(
    type: 'name' | 'operator',
    operators: readonly string[],
    read: () => Expression,
    meaning: (operator: string, first: Expression, second: Expression) => Compute,
  ): Expression {
    let whole = read()
    for (;;) {
      const operator = this.skip(type, ...operators)
      if (operator === undefined) return whole
      whole = node(meaning(operator, whole, read()))
    }
  }

  #signed(withFilters = true): Expression {
    const sign = this.skip('operator', '-', '+')
    let value: Expression
    if (sign === undefined) value = this.#primary()
    else {
      const operand = this.#deeper(() => this.#signed(false))
      value = node((frame) => signed(sign, operand(frame)))
    }
    value = this.#postfix(value)
    if (withFilters) value = this.#filtersAndTests(value)
    if (this.is('operator', '**')) throw unsupported('the operator `**`')
    return value
  }

  /** An expression; several with commas are a tuple. */
  protected tuple(read: () => Expression = () => this.expression()): Expression {
    const first = read()
    if (!this.is('operator', ',')) return first
    const items = [first]
    while (this.skip('operator', ',')) {
      if (this.is('block_end') || this.is('output_end') || this.is('operator', ')')) break
      items.push(read())
    }
    return tupleOf(items)
  }

  #primary(): Expression {
    const { type, value } = this.next()
    if (type === 'name') {
      const constant = CONSTANTS.get(value)
      if (constant !== undefined) return literal(constant)
      this.scope.read(value)
      return node((frame) => variable(value, frame))
    }
    if (type === 'string') {
      let whole = value
      while (this.is('string')) whole += this.next().value
      return literal(whole)
    }
    if (type === 'int') return literal(int(Number(value)))
    if (type === 'float') return literal(new Float(Number(value)))
    if (type === 'operator' && value === '(') {
      const inner = this.is('operator', ')') ? tupleOf([]) : this.tuple()
      this.expect('operator', ')')
      return inner
    }
    if (type === 'operator' && value === '[') {
      const items = this.#items(']', () => this.expression())
      return node((frame, budget) => {
        const list = items.map((each) => each(frame))
        return made(list, budget)
      })
    }
    if (type === 'operator' && value === '{') {
      const items = this.#items('}', () => {
        const name = this.expression()
        this.expect('operator', ':')
        return [name, this.expression()] as const
      })
      return node((frame, budget) => {
        const entries = items.map(([name, inner]) => [key(name(frame)), inner(frame)] as const)
        return made(new Map(entries), budget)
      })
    }
    throw failed(`unexpected ${value || type}`)
  }

  /** What stands between commas, up to the closing bracket. */
  #items<Item>(close: string, read: () => Item): Item[] {
    const items: Item[] = []
    while (!this.skip('operator', close)) {
      if (items.length > 0) {
        this.expect('operator', ',')
        if (this.skip('operator', close)) break
      }
      items.push(read())
    }
    return items
  }

  #postfix(value: Expression): Expression {
    for (let object = value; ; ) {
      if (this.skip('operator', '.')) object = this.#attribute(object)
      else if (this.skip('operator', '[')) object = this.#subscript(object)
      else if (this.is('operator', '(')) object = this.#call(object)
      else return object
    }
  }

  #attribute(object: Expression): Expression {
    const { type, value } = this.next()
    if (type === 'int') return itemOf(object, () => Number(value))
    if (type !== 'name') throw failed(`expected a name after '.', got ${value || type}`)
    return node((frame, budget) => found(attribute(readable(object(frame), frame), value), budget))
  }

  #subscript(object: Expression): Expression {
    const part = () => (this.is('operator', ':') || this.is('operator', ']') ? undefined : this.expression())
    const bounds = [part()]
    while (bounds.length < 3 && this.skip('operator', ':')) bounds.push(part())
    this.expect('operator', ']')
    const [start] = bounds
    if (bounds.length > 1)
      return node((frame, budget) => {
        const value = object(frame)
        const [from, to, step] = bounds.map((bound) => bound?.(frame) ?? null)
        return made(slice(value, from, to, step ?? null, budget), budget)
      })
    if (start === undefined) throw failed('expected a subscript')
    return itemOf(object, start)
  }

  #call(callee: Expression): Expression {
    const args = this.#arguments()
    return node((frame, budget) => {
      const called = callee(frame)
      const given = args(frame)
      if (called instanceof Callable) return made(called.call(given, budget), budget)
      if (called instanceof Undefined) throw undefinedError(called)
      throw failed(`'${typeName(called)}' object is not callable`)
    })
  }

  /** The arguments of a call, if any stand here. */
  #arguments(read = () => this.expression()): Arguments {
    if (!this.skip('operator', '(')) return WITHOUT_ARGUMENTS
    const names: string[] = []
    const values = this.#items(')', () => {
      if (this.is('operator', '*') || this.is('operator', '**')) throw unsupported('unpacked arguments (`*`)')
      if (this.is('name') && this.is('operator', '=', 1)) {
        names.push(this.next().value)
        this.next()
      } else if (names.length > 0) throw failed('positional argument follows keyword argument')
      return read()
    })
    if (values.length === 0) return WITHOUT_ARGUMENTS
    if (new Set(names).size < names.length) throw failed('keyword argument repeated')
    const count = values.length - names.length
    return (frame) => {
      const given = values.map((value) => value(frame))
      return {
        positional: given.slice(0, count),
        keyword: new Map(names.map((name, i) => [name, given[count + i]])),
      }
    }
  }

  #filtersAndTests(value: Expression): Expression {
    for (let input = value; ; ) {
      const before = input
      if (this.skip('operator', '|')) {
        const apply = this.#filter()
        input = node((frame) => apply(before(frame), frame))
      } else if (this.skip('name', 'is')) input = this.#test(before)
      else if (this.is('operator', '(')) input = this.#call(before)
      else return input
    }
  }

  #filter(read?: () => Expression): Applied {
    const name = this.expect('name')
    if (!FILTER_NAMES.has(name)) throw unsupported(`filter \`${name}\``)
    const args = this.#arguments(read)
    return (input, frame) => filter(name, input, args(frame), frame.budget)
  }

  /** The filters of a block, `|a|b(1)`, whose arguments are constants. @param isFirst whether the first one stands without `|` */
  protected filters(isFirst: boolean): Applied {
    const constant = () => {
      const { type, value } = this.tokens[this.#at]
      const read = this.#primary()
      const isWhole = this.is('operator', ',') || this.is('operator', ')')
      if (isWhole && (type === 'string' || type === 'int' || CONSTANTS.has(value))) return read
      throw unsupported('a filter of a block', 'has an argument that is no constant')
    }
    const all = isFirst ? [this.#filter(constant)] : []
    while (this.skip('operator', '|')) all.push(this.#filter(constant))
    return (input, frame) => all.reduce((value, apply) => apply(value, frame), input)
  }

  #test(input: Expression): Expression {
    const isNegated = this.skip('name', 'not')
    const name = this.expect('name')
    if (!TEST_NAMES.has(name)) throw unsupported(`test \`${name}\``)
    let args = WITHOUT_ARGUMENTS
    if (this.is('operator', '(')) args = this.#arguments()
    else if (this.#beginsOperand()) {
      const operand = this.#postfix(this.#primary())
      args = (frame) => ({ ...NO_ARGUMENTS, positional: [operand(frame)] })
    }
    const holds = node((frame, budget) => test(name, input(frame), args(frame), budget))
    return isNegated ? negated(holds) : holds
  }

  /** Whether a test's operand stands here without parentheses: `is divisibleby 3`. */
  #beginsOperand(): boolean {
    const { type, value } = this.tokens[this.#at]
    if (type === 'name' && CLAUSES.has(value)) throw unsupported(`\`${value}\` behind a test`)
    if (type === 'name') return !['else', 'or', 'and'].includes(value)
    return ['string', 'int', 'float'].includes(type) || (type === 'operator' && '[{'.includes(value))
  }
}

type Compute = (frame: Frame, budget: Budget) => Value

/** What computes a value, and counts its step and its level. */
function node(compute: Compute): Expression {
  return (frame) => {
    const { budget } = frame
    budget.enter()
    const value = compute(frame, budget)
    budget.leave()
    return value
  }
}

const WITHOUT_ELSE: Expression = () => new Undefined('the inline if-expression without else')
const WITHOUT_ARGUMENTS: Arguments = () => NO_ARGUMENTS

const literal = (value: Value) => node(() => value)

const negated = (operand: Expression) => node((frame) => !truth(operand(frame)))

const tupleOf = (items: readonly Expression[]) =>
  node((frame, budget) => made(new Tuple(items.map((each) => each(frame))), budget))

const itemOf = (object: Expression, place: Expression) =>
  node((frame, budget) => found(item(readable(object(frame), frame), place(frame), budget), budget))

const logical =
  (operator: string, first: Expression, second: Expression): Compute =>
  (frame) => {
    const left = first(frame)
    return truth(left) === (operator === 'or') ? left : second(frame)
  }

const arithmetic =
  (operator: string, first: Expression, second: Expression): Compute =>
  (frame, budget) =>
    made(binary(operator, first(frame), second(frame), budget), budget)

function variable(name: string, frame: Frame): Value {
  const value = frame.get(name)
  if (value !== undefined) return value
  if (frame.rendering.unknown.has(name)) throw unsupported(`\`${name}\``, 'is not in the tokenizer’s files')
  if (OTHER_NAMES.has(name)) throw unsupported(`\`${name}\``)
  return GLOBALS.get(name) ?? made(new Undefined(`'${name}'`), frame.budget)
}

function readable(object: Value, { rendering }: Frame): Value {
  if (rendering.isFiltering && object instanceof Namespace)
    throw unsupported("a loop's condition", 'reads a namespace')
  return object
}

/** What an object has is there already, but for its methods and for what is not there. */
function found(value: Value, budget: Budget): Value {
  return value instanceof Callable || value instanceof Undefined ? made(value, budget) : value
}
