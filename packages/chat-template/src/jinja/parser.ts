import { failed, unsupported } from '../refusals.js'
import { PAUSE, type Steps } from '../steps.js'
import { ExpressionParser } from './expressions.js'
import { tokens } from './lexer.js'
import type { Expression, Parameter, Statement, Target } from './nodes.js'
import { TokenStream } from './token-stream.js'

/** The tree of a template. @throws ChatError `template_unsupported`, `template_failed` */
export function* parseTemplate(template: string): Steps<Statement[]> {
  return yield* new TemplateParser(new TokenStream(yield* tokens(template))).template()
}

class TemplateParser extends ExpressionParser {
  #loops = 0;

  *template(): Steps<Statement[]> {
    const body = yield* this.#body([])
    this.stream.expect('end')
    return body
  }

  /** Statements up to a tag of one of these names, which stays. */
  *#body(ends: readonly string[]): Steps<Statement[]> {
    const { stream } = this
    const statements: Statement[] = []
    this.enter()
    for (;;) {
      if (stream.isPauseDue) yield PAUSE
      if (stream.is('data')) statements.push({ kind: 'text', text: stream.next().value })
      else if (stream.skip('output_begin')) {
        statements.push({ kind: 'output', value: this.tuple() })
        stream.expect('output_end')
      } else if (
        stream.is('block_begin') &&
        !(stream.following.type === 'name' && ends.includes(stream.following.value))
      ) {
        stream.next()
        statements.push(yield* this.#statement())
        stream.expect('block_end')
      } else break
    }
    this.leave()
    if (ends.length > 0 && !stream.is('block_begin'))
      throw failed(`expected {% ${ends.join(' %} or {% ')} %}`)
    return statements
  }

  *#statement(): Steps<Statement> {
    const name = this.stream.expect('name').value
    switch (name) {
      case 'for':
        return yield* this.#for()
      case 'if':
        return yield* this.#if()
      case 'set':
        return yield* this.#set()
      case 'macro':
        return yield* this.#macro()
      case 'filter':
        return { kind: 'filter_block', filters: this.filters(true), body: yield* this.#block('endfilter') }
      case 'generation':
        return { kind: 'generation', body: yield* this.#block('endgeneration') }
      case 'break':
      case 'continue':
        if (this.#loops === 0) throw failed(`{% ${name} %} outside of a loop`)
        return { kind: name }
      default:
        throw unsupported(`\`{% ${name} %}\``)
    }
  }

  /** The nodes between the end of this tag and the tag of that name, which is read up to its `%}`. */
  *#block(end: string): Steps<Statement[]> {
    this.stream.expect('block_end')
    const body = yield* this.#body([end])
    this.#tag()
    return body
  }

  /** The name of the tag that begins here. */
  #tag(): string {
    this.stream.expect('block_begin')
    return this.stream.expect('name').value
  }

  *#for(): Steps<Statement> {
    const { stream } = this
    const { names, isTuple } = this.#names('in')
    stream.expect('name', 'in')
    const over = this.tuple(() => this.withoutCondition())
    const filter = stream.skip('name', 'if') ? this.expression() : undefined
    if (stream.isName('recursive')) throw unsupported('`recursive` loops')
    stream.expect('block_end')
    this.#loops++
    const body = yield* this.#body(['else', 'endfor'])
    this.#loops--
    let otherwise: Statement[] = []
    if (this.#tag() === 'else') otherwise = yield* this.#block('endfor')
    return { kind: 'for', names, isTuple, over, filter, body, otherwise }
  }

  *#if(): Steps<Statement> {
    const branches: { test: Expression; body: Statement[] }[] = []
    for (;;) {
      const test = this.tuple(() => this.withoutCondition())
      this.stream.expect('block_end')
      branches.push({ test, body: yield* this.#body(['elif', 'else', 'endif']) })
      const tag = this.#tag()
      if (tag === 'endif') return { kind: 'if', branches, otherwise: [] }
      if (tag === 'else') return { kind: 'if', branches, otherwise: yield* this.#block('endif') }
    }
  }

  *#set(): Steps<Statement> {
    const { stream } = this
    const target = this.#target()
    if (stream.skip('operator', '=')) return { kind: 'set', target, value: this.tuple() }
    const filters = this.filters()
    const body = yield* this.#block('endset')
    if (!('names' in target) || target.isTuple)
      throw unsupported('`{% set %}` of a block to more than a name')
    return { kind: 'set_block', name: target.names[0], filters, body }
  }

  #target(): Target {
    const { following } = this.stream
    if (this.stream.is('name') && following.type === 'operator' && following.value === '.') {
      const object = this.stream.next().value
      this.stream.next()
      return { object, attribute: this.stream.expect('name').value }
    }
    return this.#names('=')
  }

  /** `a`, `a, b` or `(a, b)`. */
  #names(end: string): { names: string[]; isTuple: boolean } {
    const { stream } = this
    const isOpen = stream.skip('operator', '(')
    const names = [this.#name()]
    let isTuple = false
    while (stream.skip('operator', ',')) {
      isTuple = true
      if (stream.current.value === end || stream.isOperator(')')) break
      names.push(this.#name())
    }
    if (isOpen) stream.expect('operator', ')')
    return { names, isTuple }
  }

  /** A name that is assigned to. */
  #name(): string {
    const { value } = this.stream.expect('name')
    if (CONSTANT.has(value)) throw failed(`cannot assign to ${value}`)
    if (SPECIAL.has(value)) throw unsupported(`an assignment to \`${value}\``)
    return value
  }

  *#macro(): Steps<Statement> {
    const { stream } = this
    const name = this.#name()
    const parameters: Parameter[] = []
    stream.expect('operator', '(')
    while (!stream.isOperator(')')) {
      if (parameters.length > 0) stream.expect('operator', ',')
      const parameter = this.#name()
      const fallback = stream.skip('operator', '=') ? this.expression() : undefined
      if (fallback === undefined && parameters.at(-1)?.fallback !== undefined)
        throw failed('non-default argument follows default argument')
      parameters.push({ name: parameter, fallback })
    }
    stream.expect('operator', ')')
    const loops = this.#loops
    this.#loops = 0
    const body = yield* this.#block('endmacro')
    this.#loops = loops
    return { kind: 'macro', name, parameters, body }
  }
}

/** Names that no template may assign to, and those that have a special meaning in macros and loops. */
const CONSTANT = new Set(['true', 'false', 'none', 'True', 'False', 'None'])
const SPECIAL = new Set(['loop', 'caller', 'varargs', 'kwargs', 'self', 'super'])
