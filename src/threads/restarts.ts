/** A thread that dies so often within so many milliseconds is not replaced again. */
const MAX_DEATHS = 5
const WITHIN_MS = 60_000
const FIRST_WAIT_MS = 100

/** Decides when a thread that has died is replaced: at once, after a longer and longer wait, and at last never. */
export class Restarts {
  #deaths: number[] = []

  /**
   * @param now milliseconds of any monotonic clock
   * @returns milliseconds to wait: 0, 100, 200, 400; undefined with the fifth death in a minute
   */
  next(now: number): number | undefined {
    this.#deaths = this.#deaths.filter((death) => now - death < WITHIN_MS)
    const before = this.#deaths.push(now) - 1
    if (before + 1 >= MAX_DEATHS) return undefined
    return before === 0 ? 0 : FIRST_WAIT_MS * 2 ** (before - 1)
  }
}
