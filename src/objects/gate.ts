/** Lets so many works run at once; the others wait in their order. */
export class Gate {
  readonly #waiting: (() => void)[] = []
  #running = 0

  constructor(private readonly most: number) {}

  async run<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.#running === this.most) await new Promise<void>((enter) => this.#waiting.push(enter))
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
