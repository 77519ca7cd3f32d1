import type { Budget } from './budget.js'
import type { Value } from './values.js'

/** A render under way. */
interface Rendering {
  readonly budget: Budget
  /** Names of variables whose values are unknown. */
  readonly unknown: ReadonlySet<string>
  readonly spans: (readonly [start: number, end: number])[]
  /** While a loop's condition is evaluated: Jinja2 does that between the turns of the loop. */
  isFiltering: boolean
  /** Macros that are being called. */
  calls: number
}

/** The names of a scope: the template's own, and one for each turn of a loop, call of a macro, or block. */
export class Frame {
  readonly budget: Budget
  readonly #values = new Map<string, Value>()

  constructor(
    readonly rendering: Rendering,
    private readonly outer?: Frame,
  ) {
    this.budget = rendering.budget
  }

  /** Macros have no pauses, since they are called in expressions. */
  get isPauseDue(): boolean {
    return this.rendering.calls === 0 && this.budget.isPauseDue
  }

  inner(): Frame {
    return new Frame(this.rendering, this)
  }

  set(name: string, value: Value): void {
    this.#values.set(name, value)
  }

  /** The value in the nearest scope that has one. */
  get(name: string): Value | undefined {
    const value = this.#values.get(name)
    return value === undefined ? this.outer?.get(name) : value
  }
}
