import { failed, unsupported } from '../refusals.js'
import type { Step } from '../steps.js'
import { Budget } from './budget.js'
import { argumentsOf, type Context, evaluate } from './evaluate.js'
import { filter } from './filters.js'
import { Frame } from './frame.js'
import { checkAttribute } from './globals.js'
import type { Expression, Filter, Statement, Target } from './nodes.js'
import { Output } from './output.js'
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

/** A text, and the spans of its `{% generation %}` blocks in code points, in the order in which the blocks end. */
export interface Rendered {
  readonly text: string
  readonly spans: readonly (readonly [start: number, end: number])[]
}

/**
 * The text that a template makes of its variables, with the meaning that Jinja2 gives each construct.
 *
 * @param unknown names of variables whose values are unknown
 * @param maxCharacters of the text
 * @throws ChatError `template_unsupported`, `template_failed`
 */
export function* renderTemplate(
  template: readonly Statement[],
  variables: ReadonlyMap<string, Value>,
  unknown: ReadonlySet<string>,
  maxCharacters: number,
): Generator<Step, Rendered, void> {
  const outer = new Frame()
  for (const [name, value] of variables) outer.set(name, value)
  const renderer = new Renderer(unknown, maxCharacters)
  const output = renderer.output()
  yield* renderer.body(template, new Frame(outer), output)
  yield* renderer.budget.pause()
  return { text: output.toString(), spans: renderer.spans }
}

class Renderer implements Context {
  readonly budget: Budget
  readonly spans: [number, number][] = []
  isFiltering = false
  #depth = 0

  constructor(
    readonly unknown: ReadonlySet<string>,
    maxCharacters: number,
  ) {
    this.budget = new Budget(maxCharacters)
  }

  output(): Output {
    return new Output(this.budget)
  }

  *body(statements: readonly Statement[], frame: Frame, output: Output): Running {
    let end: End
    this.budget.enter()
    for (const statement of statements) {
      this.budget.take()
      if (!this.#simple(statement, frame, output)) end = yield* this.#compound(statement, frame, output)
      if (end !== undefined) break
      if (this.#isPauseDue) yield* this.budget.pause()
    }
    this.budget.leave()
    return end
  }

  get #isPauseDue(): boolean {
    return this.#depth === 0 && this.budget.isPauseDue
  }

  /** A statement without others in it. */
  #simple(statement: Statement, frame: Frame, output: Output): boolean {
    switch (statement.kind) {
      case 'text':
        output.write(statement.text)
        return true
      case 'output':
        output.write(text(this.#value(statement.value, frame), this.budget))
        return true
      case 'set':
        this.#assign(statement.target, this.#value(statement.value, frame), frame)
        return true
      case 'macro':
        frame.set(statement.name, made(this.#macro(statement, frame), this.budget))
        return true
      default:
        return false
    }
  }

  *#compound(statement: Statement, frame: Frame, output: Output): Running {
    switch (statement.kind) {
      case 'if':
        return yield* this.#if(statement, frame, output)
      case 'for':
        return yield* this.#for(statement, frame, output)
      case 'set_block': {
        const inner = yield* this.#inner(statement.body, frame)
        frame.set(statement.name, this.#filtered(inner, statement.filters))
        return undefined
      }
      case 'filter_block': {
        const inner = yield* this.#inner(statement.body, frame)
        output.write(text(this.#filtered(inner, statement.filters), this.budget))
        return undefined
      }
      case 'generation': {
        const inner = yield* this.#inner(statement.body, frame)
        const start = output.points
        output.write(inner)
        this.budget.make(SPAN_BYTES)
        this.spans.push([start, output.points])
        return undefined
      }
      case 'break':
      case 'continue':
        return statement.kind
      default:
        return undefined
    }
  }

  /** The text of a block with its own scope. */
  *#inner(body: readonly Statement[], frame: Frame): Generator<Step, string, void> {
    const output = this.output()
    const end = yield* this.body(body, new Frame(frame), output)
    if (end !== undefined) throw unsupported(`\`{% ${end} %}\` out of a block`)
    return made(output.toString(), this.budget)
  }

  *#if({ branches, otherwise }: Extract<Statement, { kind: 'if' }>, frame: Frame, output: Output): Running {
    for (const { test, body } of branches) {
      if (truth(this.#value(test, frame))) return yield* this.body(body, frame, output)
      if (this.#isPauseDue) yield* this.budget.pause()
    }
    return yield* this.body(otherwise, frame, output)
  }

  *#for(loop: Extract<Statement, { kind: 'for' }>, frame: Frame, output: Output): Running {
    const all = this.#chosen(loop, items(this.#value(loop.over, frame), this.budget), frame)
    if (this.#isPauseDue) yield* this.budget.pause()
    // Jinja2 leaves the `else` out only where a turn comes to the end of the body.
    let isWhole = false
    for (const [i, value] of all.entries()) {
      const inner = new Frame(frame)
      inner.set('loop', made(new Loop(all, i), this.budget))
      bind(loop, value, inner, this.budget)
      const end = yield* this.body(loop.body, inner, output)
      if (end === 'break') break
      isWhole ||= end === undefined
      this.budget.take()
      if (this.#isPauseDue) yield* this.budget.pause()
    }
    return isWhole ? undefined : yield* this.body(loop.otherwise, new Frame(frame), output)
  }

  #chosen(loop: Extract<Statement, { kind: 'for' }>, all: readonly Value[], frame: Frame): readonly Value[] {
    const { filter: condition } = loop
    this.budget.takeItems(all.length)
    if (condition === undefined) return all
    const wasFiltering = this.isFiltering
    this.isFiltering = true
    const chosen = all.flatMap((value) => {
      const inner = new Frame(frame)
      bind(loop, value, inner, this.budget)
      if (!truth(this.#value(condition, inner))) return []
      // Jinja2's generator gives what it has unpacked: `loop.previtem` is a tuple of it.
      return [loop.isTuple ? made(new Tuple(loop.names.map((name) => inner.get(name)!)), this.budget) : value]
    })
    this.isFiltering = wasFiltering
    return made(chosen, this.budget)
  }

  #assign(target: Target, value: Value, frame: Frame): void {
    if ('names' in target) {
      bind(target, value, frame, this.budget)
      return
    }
    const namespace = frame.get(target.object)
    if (!(namespace instanceof Namespace)) throw failed('cannot assign attribute on non-namespace object')
    checkAttribute(target.attribute)
    namespace.values.set(target.attribute, value)
  }

  #filtered(input: Value, filters: readonly Filter[]): Value {
    return filters.reduce<Value>((value, { name, args }) => {
      const values = argumentsOf(args, (inner) => {
        if (inner.kind !== 'constant') throw unsupported(`filter \`${name}\` of a block, with arguments`)
        return inner.value
      })
      return filter(name, value, values, this.budget)
    }, input)
  }

  /** A macro sees the scope in which it stands, not the one in which it is called. */
  #macro({ name, parameters, body }: Extract<Statement, { kind: 'macro' }>, frame: Frame): Callable {
    return new Callable(name, ({ positional, keyword }: CallArguments) => {
      if (this.isFiltering) throw unsupported("a loop's condition", 'calls a macro')
      if (positional.length > parameters.length)
        throw unsupported(`macro \`${name}\``, `is called with more than ${parameters.length} argument(s)`)
      const inner = new Frame(frame)
      const rest = new Map(keyword)
      parameters.forEach((parameter, i) => {
        const given = positional[i]
        const byName = rest.get(parameter.name)
        if (given !== undefined && byName !== undefined)
          throw failed(`macro '${name}' got multiple values for argument '${parameter.name}'`)
        rest.delete(parameter.name)
        const value = given === undefined ? byName : given
        inner.set(parameter.name, value === undefined ? this.#fallback(parameter, inner) : value)
      })
      const [unknown] = rest.keys()
      if (unknown !== undefined)
        throw unsupported(`macro \`${name}\``, `is called with \`${unknown}\`, which it does not name`)
      return this.#atOnce(body, inner)
    })
  }

  #fallback({ name, fallback }: { name: string; fallback?: Expression | undefined }, frame: Frame): Value {
    return fallback === undefined ? new Undefined(`parameter '${name}'`) : this.#value(fallback, frame)
  }

  /** The text of a macro's body: expressions have no pauses. */
  #atOnce(body: readonly Statement[], frame: Frame): string {
    if (++this.#depth > MAX_CALLS) throw unsupported('macros', `call each other more than ${MAX_CALLS} deep`)
    const output = this.output()
    const running = this.body(body, frame, output)
    while (!running.next().done);
    this.#depth--
    return output.toString()
  }

  #value(expression: Expression, frame: Frame): Value {
    return evaluate(expression, frame, this)
  }
}

/** Bytes of a span. */
const SPAN_BYTES = 64
/** Deepest calls of macros. */
const MAX_CALLS = 50

function bind(
  { names, isTuple }: { readonly names: readonly string[]; readonly isTuple: boolean },
  value: Value,
  frame: Frame,
  budget: Budget,
): void {
  if (!isTuple) {
    frame.set(names[0], value)
    return
  }
  const values = items(value, budget)
  if (values.length !== names.length)
    throw failed(`cannot unpack ${values.length} values to ${names.length} names`)
  names.forEach((name, i) => {
    frame.set(name, values[i])
  })
}
