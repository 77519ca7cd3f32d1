/** Runs works in the order of their coming, so many at once; the others wait. */
export class WorkQueue {
  readonly #waiting: (() => void)[] = []
  #running = 0

  constructor(private readonly atOnce = 1) {}

  /** How many works wait. */
  get waiting(): number {
    return this.#waiting.length
  }

  async run<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.#running === this.atOnce) await new Promise<void>((enter) => this.#waiting.push(enter))
    else this.#running++
    try {
      return await work()
    } finally {
      const next = this.#waiting.shift()
      if (next === undefined) this.#running--
      else next() // takes this one's place
    }
  }
}
