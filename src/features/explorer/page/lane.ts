/** A lane holds one piece of work: what comes later gives up what is still under way. */
export class Lane {
  #controller: AbortController | undefined

  /** Gives the earlier work up and returns the signal of the new one. */
  next(): AbortSignal {
    this.#controller?.abort()
    this.#controller = new AbortController()
    return this.#controller.signal
  }
}
