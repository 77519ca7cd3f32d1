/** The time for which an unused value stays: its memory may be shared, and is held until then. */
const IDLE_MS = 60_000

/** The values that were used last, at most so many, and none that was not used for a minute. */
export class Recent<Value> {
  readonly #values = new Map<string, { readonly value: Value; used: number }>()
  #sweep: NodeJS.Timeout | undefined

  /** @param left called with each value that leaves */
  constructor(
    private readonly most: number,
    private readonly left: (value: Value) => void = () => {},
  ) {}

  get(key: string): Value | undefined {
    const known = this.#values.get(key)
    if (known === undefined) return undefined
    known.used = performance.now()
    this.#values.delete(key)
    this.#values.set(key, known)
    return known.value
  }

  put(key: string, value: Value): void {
    const before = this.#values.get(key)
    if (before !== undefined) this.#remove(key, before.value)
    this.#values.set(key, { value, used: performance.now() })
    const [oldest] = this.#values
    if (this.#values.size > this.most && oldest !== undefined) this.#remove(oldest[0], oldest[1].value)
    this.#sweep ??= setInterval(() => this.#removeIdle(), IDLE_MS).unref()
  }

  drop(prefix: string): void {
    for (const [key, { value }] of this.#values) if (key.startsWith(prefix)) this.#remove(key, value)
  }

  #removeIdle(): void {
    const before = performance.now() - IDLE_MS
    for (const [key, { value, used }] of this.#values) if (used < before) this.#remove(key, value)
    if (this.#values.size > 0) return
    clearInterval(this.#sweep)
    this.#sweep = undefined
  }

  #remove(key: string, value: Value): void {
    this.#values.delete(key)
    this.left(value)
  }
}
