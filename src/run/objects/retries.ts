import { setTimeout as pause } from 'node:timers/promises'

/** The first pause before another try, and the longest, in milliseconds; each is drawn from a half of it on. */
const FIRST_PAUSE_MS = 50
const LONGEST_PAUSE_MS = 2000

/** How long one try may take, and all together, in milliseconds. */
export interface Patience {
  readonly tryMs: number
  readonly allMs: number
}

/** What became of a try that failed. */
export interface Failure {
  /** In a word, for callers: never a text of the storage's, which may have keys in it. */
  readonly word: string
  /** Whether another try may go well. */
  readonly isPassing: boolean
}

/** Tries again what fails in passing. A storage that was away for all of one patience is not asked for the next seconds. */
export class Retries {
  #awayUntil = 0
  #word = ''

  /** @param failureOf reads an error of a try; undefined: it is thrown as it is */
  constructor(private readonly failureOf: (error: unknown) => Failure | undefined) {}

  /** @throws StorageError */
  async run<Result>(
    { tryMs, allMs }: Patience,
    work: (signal: AbortSignal) => Promise<Result>,
  ): Promise<Result> {
    const until = performance.now() + allMs
    for (let longest = FIRST_PAUSE_MS; ; longest = Math.min(2 * longest, LONGEST_PAUSE_MS)) {
      if (performance.now() < this.#awayUntil) throw new StorageError(false, this.#word)
      const left = until - performance.now()
      try {
        const result = await within(Math.min(tryMs, left), work)
        this.#awayUntil = 0
        return result
      } catch (error) {
        const failure = this.failureOf(error)
        if (failure === undefined) throw error
        const { word, isPassing } = failure
        if (!isPassing) throw new StorageError(true, word)
        const wait = longest * (0.5 + Math.random() / 2)
        if (performance.now() + wait >= until) {
          this.#awayUntil = performance.now() + 1000 * AWAY_SECONDS
          this.#word = word
          throw new StorageError(false, word)
        }
        await pause(wait)
      }
    }
  }
}

async function within<Result>(
  milliseconds: number,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const controller = new AbortController()
  const timer = setTimeout(() => controller.abort(), milliseconds)
  try {
    return await work(controller.signal)
  } finally {
    clearTimeout(timer)
  }
}

/** Seconds for which nothing is asked of a storage that is away. */
const AWAY_SECONDS = 2

/** A bucket cannot be read or written now. */
export class StorageError extends Error {
  /**
   * @param isRefused the storage answers, and will answer so again: no such bucket, no right to it
   * @param cause what it said, in a word
   */
  constructor(isRefused: boolean, cause: string) {
    const fact = isRefused ? 'refuses what it is asked' : 'does not answer as it should'
    super(`The object storage ${fact} (${cause}).`)
  }
}
