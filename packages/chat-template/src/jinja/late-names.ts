import { unsupported } from '../refusals.js'
import { PAUSE, type Steps } from '../steps.js'
import { argumentsOf, childrenOf } from './children.js'
import type { Expression, Filter, Statement } from './nodes.js'

/**
 * The names whose value in Jinja2 depends on how it compiles the template, where a variable of that name is given: read
 * in an inner scope before the outer scope assigns to them, or read in one branch of an `if` and assigned in another.
 * A template that has such a name is not rendered with such a variable.
 *
 * @throws ChatError `template_unsupported` for an expression of more than 200 levels: Python compiles none of that depth
 */
export function* lateNames(template: readonly Statement[]): Steps<ReadonlySet<string>> {
  const walk = new Walk()
  yield* walk.statements(template, new Scope())
  return walk.late
}

/** Statements between two pauses. */
const PAUSE_STATEMENTS = 100
/** Most levels of an expression. */
const MAX_LEVELS = 200

class Scope {
  /** Names that the scope itself has read or assigned so far. */
  readonly known = new Set<string>()

  /** @param readWithin names that scopes within it have read */
  constructor(
    readonly parent?: Scope,
    readonly readWithin = new Set<string>(),
  ) {}

  /** Whether a name has been read or assigned here before. */
  knows(name: string): boolean {
    return this.known.has(name)
  }
}

class Walk {
  readonly late = new Set<string>()
  #seen = 0
  #levels = 0;

  *statements(list: readonly Statement[], scope: Scope): Steps<void> {
    for (const statement of list) {
      yield* this.#statement(statement, scope)
      yield* this.#pauseIfDue()
    }
  }

  *#pauseIfDue(): Steps<void> {
    if (++this.#seen % PAUSE_STATEMENTS === 0) yield PAUSE
  }

  *#statement(statement: Statement, scope: Scope): Steps<void> {
    switch (statement.kind) {
      case 'output':
        this.#read(statement.value, scope)
        break
      case 'set':
        this.#read(statement.value, scope)
        if ('names' in statement.target) for (const name of statement.target.names) this.#assign(name, scope)
        else this.#use(statement.target.object, scope)
        break
      case 'set_block':
        this.#filters(statement.filters, scope)
        yield* this.statements(statement.body, new Scope(scope))
        this.#assign(statement.name, scope)
        break
      case 'filter_block':
        this.#filters(statement.filters, scope)
        yield* this.statements(statement.body, new Scope(scope))
        break
      case 'generation':
        yield* this.statements(statement.body, new Scope(scope))
        break
      case 'if':
        yield* this.#if(statement, scope)
        break
      case 'for': {
        this.#read(statement.over, scope)
        const body = new Scope(scope)
        for (const name of statement.names) body.known.add(name)
        if (statement.filter !== undefined) this.#read(statement.filter, body)
        yield* this.statements(statement.body, body)
        yield* this.statements(statement.otherwise, new Scope(scope))
        break
      }
      case 'macro': {
        this.#assign(statement.name, scope)
        const body = new Scope(scope)
        for (const { name, fallback } of statement.parameters) {
          body.known.add(name)
          if (fallback !== undefined) this.#read(fallback, body)
        }
        yield* this.statements(statement.body, body)
        break
      }
    }
  }

  *#if({ branches, otherwise }: Extract<Statement, { kind: 'if' }>, scope: Scope): Steps<void> {
    const walked: BranchScope[] = []
    for (const { test, body } of [...branches, { test: undefined, body: otherwise }]) {
      this.#read(test, scope)
      const branch = new BranchScope(scope)
      yield* this.statements(body, branch)
      walked.push(branch)
      yield* this.#pauseIfDue()
    }
    const readers = new Map<string, number>()
    for (const { read } of walked) for (const name of read) readers.set(name, (readers.get(name) ?? 0) + 1)
    for (const { read, assigned } of walked)
      for (const name of assigned)
        if (!scope.knows(name) && (readers.get(name) ?? 0) > (read.has(name) ? 1 : 0)) this.late.add(name)
    for (const { read, assigned } of walked) {
      for (const name of read) scope.known.add(name)
      for (const name of assigned) scope.known.add(name)
    }
  }

  #filters(filters: readonly Filter[], scope: Scope): void {
    for (const { args } of filters) for (const each of argumentsOf(args)) this.#read(each, scope)
  }

  #read(expression: Expression | undefined, scope: Scope): void {
    if (expression === undefined) return
    if (++this.#levels > MAX_LEVELS) throw unsupported('nesting', `goes deeper than ${MAX_LEVELS} levels`)
    if (expression.kind === 'name') this.#use(expression.name, scope)
    else for (const child of childrenOf(expression)) this.#read(child, scope)
    this.#levels--
  }

  #use(name: string, scope: Scope): void {
    if (scope instanceof BranchScope) scope.use(name)
    else useIn(name, scope)
  }

  #assign(name: string, scope: Scope): void {
    if (scope.readWithin.has(name) && !scope.knows(name)) this.late.add(name)
    scope.known.add(name)
    if (scope instanceof BranchScope) scope.assigned.add(name)
  }
}

function useIn(name: string, scope: Scope): void {
  scope.known.add(name)
  for (let outer = scope.parent; outer !== undefined; outer = outer.parent)
    if (!outer.knows(name)) outer.readWithin.add(name)
}

/** A branch of an `if`, which is no scope: its names are those of the scope around it. */
class BranchScope extends Scope {
  /** Names that the branch reads before it assigns to them. */
  readonly read = new Set<string>()
  readonly assigned = new Set<string>()

  constructor(private readonly around: Scope) {
    super(around.parent, around.readWithin)
  }

  override knows(name: string): boolean {
    return this.known.has(name) || this.around.knows(name)
  }

  use(name: string): void {
    if (!this.knows(name)) this.read.add(name)
    useIn(name, this)
  }
}
