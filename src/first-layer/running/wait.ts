/** How work of another thread or process can be given up. */
export interface Stop {
  /** Calls `act` once when it is to be given up, at once where it is already. Returns a function that removes the listener. */
  onAbort(act: (error: Error) => void): () => void
}

/** Reasons to end a wait early; the work itself continues. */
interface WaitEnds<Late> {
  /** If the claim is aborted, the wait rejects with its error. */
  readonly claim?: Stop | undefined
  /** Afterwards the wait gives what `late` returns, or rejects with what it throws. */
  readonly limit?: { readonly milliseconds: number; late(): Late }
}

/** The result of `work`, unless the wait for it ends before. */
export async function waitWithin<Result, Late = never>(
  work: Promise<Result> | Result,
  { claim, limit }: WaitEnds<Late>,
): Promise<Result | Late> {
  let forget = () => {}
  let timer: NodeJS.Timeout | undefined
  const ended = new Promise<Late>((resolve, reject) => {
    if (claim !== undefined) forget = claim.onAbort(reject)
    if (limit === undefined) return
    timer = setTimeout(() => {
      try {
        resolve(limit.late())
      } catch (error) {
        reject(error)
      }
    }, limit.milliseconds)
  })
  try {
    return await Promise.race([work, ended])
  } finally {
    clearTimeout(timer)
    forget()
  }
}

/** Runs works in the order of their coming, so many at once; the others wait. */
export class WorkQueue {
  readonly #waiting: (() => void)[] = []
  #running = 0

  constructor(private readonly atOnce = 1) {}

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
