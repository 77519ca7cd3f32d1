import { unsupported } from '../refusals.js'
import type { Expression } from './nodes.js'
import { OperandParser } from './operands.js'

// Reads expressions with the precedences of Jinja2's own parser, lowest first: condition, or, and, not, comparison, + -,
// ~, * / // %, **, sign, then what follows a value: attributes, items, calls, filters and tests.

const COMPARISONS = new Set(['==', '!=', '<', '<=', '>', '>='])

export class ExpressionParser extends OperandParser {
  expression(): Expression {
    this.enter()
    let then = this.withoutCondition()
    while (this.stream.skip('name', 'if')) {
      const test = this.withoutCondition()
      const otherwise = this.stream.skip('name', 'else') ? this.expression() : undefined
      then = { kind: 'condition', test, then, otherwise }
    }
    this.leave()
    return then
  }

  /** An expression without `a if b`. */
  withoutCondition(): Expression {
    let left = this.#and()
    while (this.stream.skip('name', 'or')) left = { kind: 'or', left, right: this.#and() }
    return left
  }

  #and(): Expression {
    let left = this.#not()
    while (this.stream.skip('name', 'and')) left = { kind: 'and', left, right: this.#not() }
    return left
  }

  #not(): Expression {
    if (!this.stream.skip('name', 'not')) return this.#comparison()
    this.enter()
    const operand = this.#not()
    this.leave()
    return { kind: 'not', operand }
  }

  #comparison(): Expression {
    const { stream } = this
    const first = this.#sum()
    const rest: [string, Expression][] = []
    for (;;) {
      if (stream.is('operator') && COMPARISONS.has(stream.current.value)) {
        const operator = stream.next().value
        rest.push([operator, this.#sum()])
      } else if (stream.skip('name', 'in')) rest.push(['in', this.#sum()])
      else if (stream.isName('not') && stream.following.value === 'in' && stream.following.type === 'name') {
        stream.next()
        stream.next()
        rest.push(['not in', this.#sum()])
      } else break
    }
    return rest.length === 0 ? first : { kind: 'compare', first, rest }
  }

  #sum(): Expression {
    return this.#binary(['+', '-'], () => this.#concatenation())
  }

  #concatenation(): Expression {
    const items = [this.#product()]
    while (this.stream.skip('operator', '~')) items.push(this.#product())
    return items.length === 1 ? items[0] : { kind: 'concat', items }
  }

  #product(): Expression {
    return this.#binary(['*', '/', '//', '%'], () => this.#power())
  }

  #power(): Expression {
    const left = this.#sign()
    if (this.stream.isOperator('**')) throw unsupported('the operator `**`')
    return left
  }

  #binary(operators: readonly string[], read: () => Expression): Expression {
    let left = read()
    while (this.stream.is('operator') && operators.includes(this.stream.current.value)) {
      const operator = this.stream.next().value
      left = { kind: 'binary', operator, left, right: read() }
    }
    return left
  }

  #sign(withFilters = true): Expression {
    const { stream } = this
    let value: Expression
    if (stream.isOperator('-') || stream.isOperator('+')) {
      const kind = stream.next().value === '-' ? 'negative' : 'positive'
      this.enter()
      value = { kind, operand: this.#sign(false) }
      this.leave()
    } else value = this.primary()
    value = this.postfix(value)
    return withFilters ? this.filtersAndTests(value) : value
  }
}
