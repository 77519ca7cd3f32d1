interface Open<Answer> {
  resolve(answer: Answer): void
  reject(error: Error): void
}

/** What a thread has asked another one, and the promises of the answers, by the number that both messages carry. */
export class Calls<Answer> {
  readonly #open = new Map<number, Open<Answer>>()
  #nextId = 1

  /** Questions without an answer so far. */
  get size(): number {
    return this.#open.size
  }

  /** A new question's number, and what settles with its answer. */
  open(): { readonly id: number; readonly answer: Promise<Answer> } {
    const id = this.#nextId++
    const answer = new Promise<Answer>((resolve, reject) => {
      this.#open.set(id, { resolve, reject })
    })
    return { id, answer }
  }

  /** Takes an answer. One that comes late, after `forget`, has no effect. */
  resolve(id: number, answer: Answer): void {
    this.#taken(id)?.resolve(answer)
  }

  reject(id: number, error: Error): void {
    this.#taken(id)?.reject(error)
  }

  /** Rejects all: the thread that was asked has ended. */
  rejectAll(error: Error): void {
    for (const id of [...this.#open.keys()]) this.reject(id, error)
  }

  /** Waits no longer for an answer: its promise never settles. */
  forget(id: number): void {
    this.#open.delete(id)
  }

  #taken(id: number): Open<Answer> | undefined {
    const open = this.#open.get(id)
    this.#open.delete(id)
    return open
  }
}
