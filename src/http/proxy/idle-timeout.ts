/** A time in which the upstream must do something, while it is waited for. */
export class IdleTimeout {
  readonly #timer: NodeJS.Timeout
  #isPaused = false
  #hasEnded = false

  /** @param act called once, when it was silent for so long */
  constructor(milliseconds: number, act: () => void) {
    this.#timer = setTimeout(() => {
      if (this.#isPaused) this.#timer.refresh()
      else act()
    }, milliseconds)
  }

  /** It has done something: the time begins anew. */
  restart(): void {
    this.#isPaused = false
    if (!this.#hasEnded) this.#timer.refresh() // it would begin again
  }

  /** The time does not count: the caller is waited for, not the upstream. */
  pause(): void {
    this.#isPaused = true
  }

  end(): void {
    this.#hasEnded = true
    clearTimeout(this.#timer)
  }
}
