import { failed, unsupported } from '../errors.js'
import { PAUSE, type Step, type Steps } from '../steps.js'
import { Budget, Output } from './budget.js'
import { CONSTANTS, type Expression, ExpressionParser } from './expressions.js'
import { Frame } from './frame.js'
import { checkAttribute } from './globals.js'
import type { Scope } from './scopes.js'
import { text } from './text.js'
import {
  type CallArguments,
  Callable,
  items,
  Loop,
  made,
  Namespace,
  Tuple,
  truth,
  Undefined,
  type Value,
} from './values.js'

/** How the statements of a body ended. */
type End = 'break' | 'continue' | undefined
type Running = Generator<Step, End, void>
/** A statement as it was read: what writes its text; one with others in it runs in steps. */
type Statement = (frame: Frame, output: Output) => End | Running
type Body = readonly Statement[]

/** First and last (exclusive) place. */
export type Span = readonly [start: number, end: number]

export interface RenderedChat {
  readonly text: string
  /** The spans of `{% generation %}` blocks in Unicode code points, one after the other; empty if none were asked for. */
  readonly spans: readonly Span[]
}

/** A template that was read. */
export interface Template {
  readonly source: string
  readonly body: Body
  /** Names of which no variable may be given: {@link Scope}. */
  readonly late: ReadonlySet<string>
  /** Each `{% generation %}` block: whether it stands in a block whose text is kept for later, or in a macro. */
  readonly generations: readonly boolean[]
}

/**
 * The text that a template makes of its variables, with the meaning that Jinja2 gives each construct.
 *
 * @param unknown names of variables whose values are unknown
 * @param maxCharacters of the text
 * @throws ChatError `template_unsupported`, `template_failed`
 */
export function* renderTemplate(
  { body }: Template,
  variables: ReadonlyMap<string, Value>,
  unknown: ReadonlySet<string>,
  maxCharacters: number,
): Steps<RenderedChat> {
  const budget = new Budget(maxCharacters)
  const rendering = { budget, unknown, spans: [] as Span[], isFiltering: false, calls: 0 }
  const outer = new Frame(rendering)
  for (const [name, value] of variables) outer.set(name, value)
  const output = new Output(budget)
  yield* runBody(body, outer.inner(), output)
  yield* budget.pause()
  return { text: output.toString(), spans: rendering.spans }
}

/** The target of an assignment: a name, or several. */
interface Names {
  readonly names: readonly string[]
  readonly isTuple: boolean
}

/** Names that have a special meaning in macros and loops. */
const SPECIAL = new Set(['loop', 'caller', 'varargs', 'kwargs', 'self', 'super'])
/** Bytes of a span. */
const SPAN_BYTES = 64
/** Deepest calls of macros. */
const MAX_CALLS = 50

/** Reads a template. @throws ChatError `template_unsupported`, `template_failed` */
export class TemplateParser extends ExpressionParser {
  readonly #generations: boolean[] = []
  #loops = 0
  /** Blocks around, and macros, whose text is kept for later. */
  #keeping = 0;

  *template(source: string): Steps<Template> {
    const body = yield* this.#body([])
    this.expect('end')
    return { source, body, late: this.scope.late, generations: this.#generations }
  }

  /** Statements up to a tag of one of these names, which stays. */
  *#body(ends: readonly string[]): Steps<Body> {
    const statements: Statement[] = []
    this.enter()
    for (;;) {
      if (this.isPauseDue) yield PAUSE
      if (this.is('data')) {
        const { value } = this.next()
        statements.push((_, output) => output.write(value))
      } else if (this.skip('output_begin')) {
        const value = this.tuple()
        statements.push((frame, output) => output.write(text(value(frame), frame.budget)))
        this.expect('output_end')
      } else if (this.is('block_begin') && !ends.some((end) => this.is('name', end, 1))) {
        this.next()
        statements.push(yield* this.#statement())
        this.expect('block_end')
      } else break
    }
    this.leave()
    if (ends.length > 0 && !this.is('block_begin')) throw failed(`expected {% ${ends.join(' %} or {% ')} %}`)
    return statements
  }

  *#statement(): Steps<Statement> {
    const name = this.expect('name')
    if (name === 'for') return yield* this.#for()
    if (name === 'if') return yield* this.#if()
    if (name === 'set') return yield* this.#set()
    if (name === 'macro') return yield* this.#macro()
    if (name === 'filter') return yield* this.#filterBlock()
    if (name === 'generation') return yield* this.#generation()
    if (name !== 'break' && name !== 'continue') throw unsupported(`\`{% ${name} %}\``)
    if (this.#loops === 0) throw failed(`{% ${name} %} outside of a loop`)
    return () => name
  }

  /** The statements in a scope, up to a tag of one of these names. */
  *#within(scope: Scope, ends: readonly string[]): Steps<Body> {
    this.expect('block_end')
    const around = this.scope
    this.scope = scope
    const body = yield* this.#body(ends)
    this.scope = around
    return body
  }

  /** The name of the tag that begins here. */
  #tag(): string {
    this.expect('block_begin')
    return this.expect('name')
  }

  /** The statements of a block whose text is kept, or of a macro, up to the tag that ends it. */
  *#kept(end: string, scope = this.scope.inner()): Steps<Body> {
    this.#keeping++
    const body = yield* this.#within(scope, [end])
    this.#keeping--
    this.#tag()
    return body
  }

  *#for(): Steps<Statement> {
    const target = this.#names('in')
    this.expect('name', 'in')
    const over = this.tuple(() => this.withoutCondition())
    const [around, scope] = [this.scope, this.scope.inner()]
    for (const name of target.names) scope.declare(name)
    this.scope = scope
    const condition = this.skip('name', 'if') ? this.expression() : undefined
    this.scope = around
    if (this.is('name', 'recursive')) throw unsupported('`recursive` loops')
    this.#loops++
    const body = yield* this.#within(scope, ['else', 'endfor'])
    this.#loops--
    let otherwise: Body = []
    if (this.#tag() === 'else') {
      otherwise = yield* this.#within(around.inner(), ['endfor'])
      this.#tag()
    }
    return function* (frame, output) {
      const { budget } = frame
      const given = items(over(frame), budget)
      budget.takeItems(given.length)
      const all = condition === undefined ? given : chosen(target, given, condition, frame)
      if (frame.isPauseDue) yield* budget.pause()
      // Jinja2 leaves the `else` out only where a turn comes to the end of the body.
      let isWhole = false
      for (const [i, value] of all.entries()) {
        const inner = frame.inner()
        inner.set('loop', made(new Loop(all, i), budget))
        bind(target, value, inner)
        const end = yield* runBody(body, inner, output)
        if (end === 'break') break
        isWhole ||= end === undefined
        budget.take()
        if (frame.isPauseDue) yield* budget.pause()
      }
      return isWhole ? undefined : yield* runBody(otherwise, frame.inner(), output)
    }
  }

  *#if(): Steps<Statement> {
    const branches: { test: Expression; body: Body }[] = []
    const scopes = []
    for (let tag = 'if'; tag !== 'endif'; tag = this.#tag()) {
      const test = tag === 'else' ? () => true : this.tuple(() => this.withoutCondition())
      const scope = this.scope.branch()
      const ends = tag === 'else' ? ['endif'] : ['elif', 'else', 'endif']
      branches.push({ test, body: yield* this.#within(scope, ends) })
      scopes.push(scope)
    }
    this.scope.join(scopes)
    return function* (frame, output) {
      for (const { test, body } of branches) {
        if (truth(test(frame))) return yield* runBody(body, frame, output)
        if (frame.isPauseDue) yield* frame.budget.pause()
      }
      return undefined
    }
  }

  *#set(): Steps<Statement> {
    if (this.is('operator', '.', 1)) return this.#setAttribute()
    const target = this.#names('=')
    const assign = () => {
      for (const name of target.names) this.scope.assign(name)
    }
    if (this.skip('operator', '=')) {
      const value = this.tuple()
      assign()
      return (frame) => bind(target, value(frame), frame)
    }
    const apply = this.filters(false)
    const body = yield* this.#kept('endset')
    if (target.isTuple) throw unsupported('`{% set %}` of a block to more than a name')
    assign()
    return function* (frame) {
      frame.set(target.names[0], apply(yield* textOf(body, frame), frame))
      return undefined
    }
  }

  #setAttribute(): Statement {
    const object = this.expect('name')
    this.next()
    const attribute = this.expect('name')
    if (!this.skip('operator', '=')) throw unsupported('`{% set %}` of a block to an attribute')
    const value = this.tuple()
    this.scope.read(object)
    return (frame) => {
      const given = value(frame)
      const namespace = frame.get(object)
      if (!(namespace instanceof Namespace)) throw failed('cannot assign attribute on non-namespace object')
      checkAttribute(attribute)
      namespace.values.set(attribute, given)
      return undefined
    }
  }

  /** `a`, `a, b` or `(a, b)`. */
  #names(end: string): Names {
    const isOpen = this.skip('operator', '(')
    const names = [this.#name()]
    let isTuple = false
    while (this.skip('operator', ',')) {
      isTuple = true
      if (this.is('name', end) || this.is('operator', end) || this.is('operator', ')')) break
      names.push(this.#name())
    }
    if (isOpen) this.expect('operator', ')')
    return { names, isTuple }
  }

  /** A name that is assigned to. */
  #name(): string {
    const name = this.expect('name')
    if (CONSTANTS.has(name)) throw failed(`cannot assign to ${name}`)
    if (SPECIAL.has(name)) throw unsupported(`an assignment to \`${name}\``)
    return name
  }

  *#filterBlock(): Steps<Statement> {
    const apply = this.filters(true)
    const body = yield* this.#kept('endfilter')
    return function* (frame, output) {
      output.write(text(apply(yield* textOf(body, frame), frame), frame.budget))
      return undefined
    }
  }

  *#generation(): Steps<Statement> {
    this.#generations.push(this.#keeping > 0)
    const body = yield* this.#kept('endgeneration')
    return function* (frame, output) {
      const inner = yield* textOf(body, frame)
      const start = output.length
      output.write(inner)
      frame.budget.make(SPAN_BYTES)
      frame.rendering.spans.push([start, output.length])
      return undefined
    }
  }

  *#macro(): Steps<Statement> {
    const name = this.#name()
    this.scope.assign(name)
    const [around, scope] = [this.scope, this.scope.inner()]
    this.scope = scope
    this.expect('operator', '(')
    const parameters: Parameter[] = []
    while (!this.skip('operator', ')')) {
      if (parameters.length > 0) this.expect('operator', ',')
      const parameter = this.#name()
      scope.declare(parameter)
      const fallback = this.skip('operator', '=') ? this.expression() : undefined
      if (fallback === undefined && parameters.at(-1)?.fallback !== undefined)
        throw failed('non-default argument follows default argument')
      parameters.push({ name: parameter, fallback })
    }
    this.scope = around
    const loops = this.#loops
    this.#loops = 0
    const body = yield* this.#kept('endmacro', scope)
    this.#loops = loops
    return (frame) => {
      const macro = new Callable((args) => called(name, parameters, body, args, frame))
      frame.set(name, made(macro, frame.budget))
      return undefined
    }
  }
}

/** A parameter of a macro. */
interface Parameter {
  readonly name: string
  readonly fallback: Expression | undefined
}

function* runBody(body: Body, frame: Frame, output: Output): Running {
  const { budget } = frame
  let end: End
  budget.enter()
  for (const statement of body) {
    budget.take()
    const running = statement(frame, output)
    end = typeof running === 'object' ? yield* running : running
    if (end !== undefined) break
    if (frame.isPauseDue) yield* budget.pause()
  }
  budget.leave()
  return end
}

/** The text of a block with its own scope. */
function* textOf(body: Body, frame: Frame): Steps<string> {
  const output = new Output(frame.budget)
  const end = yield* runBody(body, frame.inner(), output)
  if (end !== undefined) throw unsupported(`\`{% ${end} %}\` out of a block`)
  return made(output.toString(), frame.budget)
}

/** Those for which a loop's condition holds. */
function chosen(target: Names, all: readonly Value[], condition: Expression, frame: Frame): readonly Value[] {
  const { rendering, budget } = frame
  const wasFiltering = rendering.isFiltering
  rendering.isFiltering = true
  const found = all.flatMap((value) => {
    const inner = frame.inner()
    bind(target, value, inner)
    if (!truth(condition(inner))) return []
    // Jinja2's generator gives what it has unpacked: `loop.previtem` is a tuple of it.
    return [target.isTuple ? made(new Tuple(target.names.map((name) => inner.get(name)!)), budget) : value]
  })
  rendering.isFiltering = wasFiltering
  return made(found, budget)
}

function bind({ names, isTuple }: Names, value: Value, frame: Frame): undefined {
  const values = isTuple ? items(value, frame.budget) : [value]
  if (values.length !== names.length)
    throw failed(`cannot unpack ${values.length} values to ${names.length} names`)
  for (const [i, name] of names.entries()) frame.set(name, values[i])
}

/** The text of a macro, which sees the scope in which it stands, not the one in which it is called. */
function called(
  name: string,
  parameters: readonly Parameter[],
  body: Body,
  { positional, keyword }: CallArguments,
  frame: Frame,
): string {
  const { rendering, budget } = frame
  if (rendering.isFiltering) throw unsupported("a loop's condition", 'calls a macro')
  if (positional.length > parameters.length)
    throw unsupported(`macro \`${name}\``, `is called with more than ${parameters.length} argument(s)`)
  const inner = frame.inner()
  const rest = new Map(keyword)
  for (const [i, { name: parameter, fallback }] of parameters.entries()) {
    const byName = rest.get(parameter)
    if (positional[i] !== undefined && byName !== undefined)
      throw failed(`macro '${name}' got multiple values for argument '${parameter}'`)
    rest.delete(parameter)
    const given = positional[i] === undefined ? byName : positional[i]
    const value = given === undefined ? fallback?.(inner) : given
    inner.set(parameter, value === undefined ? new Undefined(`parameter '${parameter}'`) : value)
  }
  const [unknown] = rest.keys()
  if (unknown !== undefined)
    throw unsupported(`macro \`${name}\``, `is called with \`${unknown}\`, which it does not name`)
  if (++rendering.calls > MAX_CALLS)
    throw unsupported('macros', `call each other more than ${MAX_CALLS} deep`)
  const output = new Output(budget)
  const running = runBody(body, inner, output)
  while (!running.next().done);
  rendering.calls--
  return output.toString()
}
