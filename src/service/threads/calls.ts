interface OpenCall<Answer> {
  resolve(answer: Answer): void
  reject(error: Error): void
}

/** Calls to another thread that wait for their answers, by the number that call and answer carry. */
export class Calls<Answer> {
  readonly #open = new Map<number, OpenCall<Answer>>()
  #nextId = 1

  /** Calls without an answer so far. */
  get size(): number {
    return this.#open.size
  }

  /** Opens a call: its number, and the promise of its answer. */
  open(): { readonly id: number; readonly answer: Promise<Answer> } {
    const id = this.#nextId++
    const answer = new Promise<Answer>((resolve, reject) => this.#open.set(id, { resolve, reject }))
    return { id, answer }
  }

  /** Settles a call with its answer. A late answer, after `forget`, has no effect. */
  resolve(id: number, answer: Answer): void {
    this.#close(id)?.resolve(answer)
  }

  reject(id: number, error: Error): void {
    this.#close(id)?.reject(error)
  }

  /** Rejects all open calls: the other thread has ended. */
  rejectAll(error: Error): void {
    for (const id of [...this.#open.keys()]) this.reject(id, error)
  }

  /** Stops waiting for an answer: its promise never settles. */
  forget(id: number): void {
    this.#open.delete(id)
  }

  #close(id: number): OpenCall<Answer> | undefined {
    const call = this.#open.get(id)
    this.#open.delete(id)
    return call
  }
}
