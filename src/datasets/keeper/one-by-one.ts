/** Works that wait at most. */
const MOST_WAITING = 64

/** Runs works one after the other. */
export class OneByOne {
  #last: Promise<unknown> = Promise.resolve()
  #waiting = 0

  /** @param tooMany makes the error where too many wait already */
  constructor(private readonly tooMany: () => Error) {}

  run<Value>(work: () => Promise<Value>): Promise<Value> {
    if (this.#waiting >= MOST_WAITING) return Promise.reject(this.tooMany())
    this.#waiting++
    const own = this.#last.then(work).finally(() => {
      this.#waiting--
    })
    this.#last = own.catch(() => {})
    return own
  }
}
