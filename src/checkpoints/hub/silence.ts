import { PassingError } from './hub-error.js'

/** Ends a request whose server is silent for too long, or whose user wants no more of it. */
export class Silence {
  readonly #controller = new AbortController()
  readonly #stop: () => void
  #timer: NodeJS.Timeout | undefined

  constructor(
    private readonly server: string,
    private readonly seconds: number,
    private readonly user: AbortSignal,
  ) {
    this.#stop = () => this.#controller.abort(user.reason)
    if (user.aborted) this.#stop()
    user.addEventListener('abort', this.#stop)
    this.broken()
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  /** The server has said something: its time begins anew. */
  broken(): void {
    clearTimeout(this.#timer)
    const over = new PassingError(`${this.server} was silent for ${this.seconds} s.`)
    this.#timer = setTimeout(() => this.#controller.abort(over), this.seconds * 1000)
  }

  /** Time does not count: nobody waits for the server. */
  hold(): void {
    clearTimeout(this.#timer)
  }

  /** The request is over. */
  end(): void {
    this.hold()
    this.user.removeEventListener('abort', this.#stop)
  }

  /** The reason why the request was ended from here, else `error` as one that may pass. */
  reasonOf(error: unknown): unknown {
    if (this.#controller.signal.aborted) return this.#controller.signal.reason
    const { message, cause } = error as Error
    const why = cause instanceof Error ? cause.message || (cause as NodeJS.ErrnoException).code : message
    return new PassingError(`${this.server} cannot be read: ${why}`)
  }
}
