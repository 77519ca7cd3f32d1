import type { FastifyBaseLogger } from 'fastify'
import type { Bindings, ChildLoggerOptions, Logger } from 'pino'

type Line = Parameters<Logger['info']>

/**
 * A request's logger: a child of pino's, made when the first line is written through it. Where the level is `warn` most
 * requests write none, and to make a child takes a hundredth of a small request's time.
 */
class LazyLogger implements FastifyBaseLogger {
  #made: Logger | undefined

  constructor(
    private readonly parent: Logger,
    private readonly bindings: Bindings,
    private readonly options?: ChildLoggerOptions,
  ) {}

  get level(): string {
    return this.#child.level
  }

  child(bindings: Bindings, options?: ChildLoggerOptions): Logger {
    return this.#child.child(bindings, options)
  }

  fatal(...line: Line): void {
    this.#child.fatal(...line)
  }

  error(...line: Line): void {
    this.#child.error(...line)
  }

  warn(...line: Line): void {
    this.#child.warn(...line)
  }

  info(...line: Line): void {
    if (this.parent.isLevelEnabled('info')) this.#child.info(...line)
  }

  debug(...line: Line): void {
    if (this.parent.isLevelEnabled('debug')) this.#child.debug(...line)
  }

  trace(...line: Line): void {
    if (this.parent.isLevelEnabled('trace')) this.#child.trace(...line)
  }

  silent(): void {}

  get #child(): Logger {
    this.#made ??= this.parent.child(this.bindings, this.options)
    return this.#made
  }
}

/** The same logger, but its children are made when they first write. */
export function withLazyChildren(logger: Logger): FastifyBaseLogger {
  const child = (bindings: Bindings, options?: ChildLoggerOptions) =>
    new LazyLogger(logger, bindings, options)
  return Object.create(logger, { child: { value: child } })
}
