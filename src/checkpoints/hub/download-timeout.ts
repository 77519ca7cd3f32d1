import { PassingError } from './errors.js'

/** Aborts a request when its server sends nothing for some seconds, or when the user stops. */
export class DownloadTimeout {
  readonly #controller = new AbortController()
  readonly #stop = () => this.#controller.abort(this.user.reason)
  #timer: NodeJS.Timeout | undefined

  constructor(
    private readonly server: string,
    private readonly seconds: number,
    private readonly user: AbortSignal,
  ) {
    if (user.aborted) this.#stop()
    user.addEventListener('abort', this.#stop)
    this.restart()
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  /** Measures anew: the server has sent something. */
  restart(): void {
    clearTimeout(this.#timer)
    const over = new PassingError(`${this.server} was silent for ${this.seconds} s.`)
    this.#timer = setTimeout(() => this.#controller.abort(over), this.seconds * 1000)
  }

  /** Stops measuring: this process is busy with the last bytes. */
  pause(): void {
    clearTimeout(this.#timer)
  }

  /** The request is over. */
  end(): void {
    this.pause()
    this.user.removeEventListener('abort', this.#stop)
  }

  /** The reason of the abort, else `error` as one that may pass. */
  reasonOf(error: unknown): unknown {
    if (this.signal.aborted) return this.signal.reason
    const { message, cause } = error as Error
    const why = cause instanceof Error ? cause.message || (cause as NodeJS.ErrnoException).code : message
    return new PassingError(`${this.server} cannot be read: ${why}`)
  }
}
