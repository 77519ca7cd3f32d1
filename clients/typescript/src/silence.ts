import { TimedOut } from './errors.js'

/** Aborts one try when the caller does, or when the service has been silent for too long. */
export class Silence {
  readonly #controller = new AbortController()
  readonly #seconds: number
  readonly #caller: AbortSignal | undefined
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(seconds: number, caller: AbortSignal | undefined) {
    this.#seconds = seconds
    this.#caller = caller
    caller?.throwIfAborted()
    caller?.addEventListener('abort', this.#onAbort, { once: true })
    this.broken()
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  readonly #onAbort = () => this.#controller.abort(this.#caller!.reason)

  /** Something has come: the time begins anew. */
  broken(): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => {
      this.#controller.abort(new TimedOut(`The service was silent for ${this.#seconds} seconds`))
    }, this.#seconds * 1000)
  }

  end(): void {
    clearTimeout(this.#timer)
    this.#caller?.removeEventListener('abort', this.#onAbort)
  }
}
