import type { FastifyBaseLogger } from 'fastify'
import type { Bindings, ChildLoggerOptions, Logger } from 'pino'

type Line = Parameters<Logger['info']>

/** What children are made of. */
interface Parent {
  readonly pino: Logger
}

/**
 * A request's logger: a child of pino's, made when the first line is written through it. Where the level is `warn` most
 * requests write none, and to make a child takes a hundredth of a small request's time. Its own children are lazy too:
 * Fastify makes one for itself at the start, and each request's is a child of that one.
 */
class LazyLogger implements FastifyBaseLogger, Parent {
  #made: Logger | undefined

  /** @param root tells which lines are written: no child has a level of its own */
  constructor(
    private readonly root: Logger,
    private readonly parent: Parent,
    private readonly bindings: Bindings,
    private readonly options?: ChildLoggerOptions,
  ) {}

  get level(): string {
    return this.root.level
  }

  child(bindings: Bindings, options?: ChildLoggerOptions): FastifyBaseLogger {
    return new LazyLogger(this.root, this, bindings, options)
  }

  fatal(...line: Line): void {
    this.pino.fatal(...line)
  }

  error(...line: Line): void {
    this.pino.error(...line)
  }

  warn(...line: Line): void {
    this.pino.warn(...line)
  }

  info(...line: Line): void {
    if (this.root.isLevelEnabled('info')) this.pino.info(...line)
  }

  debug(...line: Line): void {
    if (this.root.isLevelEnabled('debug')) this.pino.debug(...line)
  }

  trace(...line: Line): void {
    if (this.root.isLevelEnabled('trace')) this.pino.trace(...line)
  }

  silent(): void {}

  get pino(): Logger {
    this.#made ??= this.parent.pino.child(this.bindings, this.options)
    return this.#made
  }
}

/** The same logger, but its children are made when they first write. */
export function withLazyChildren(logger: Logger): FastifyBaseLogger {
  const child = (bindings: Bindings, options?: ChildLoggerOptions) =>
    new LazyLogger(logger, { pino: logger }, bindings, options)
  return Object.create(logger, { child: { value: child } })
}
