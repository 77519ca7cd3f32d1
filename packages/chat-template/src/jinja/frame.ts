import type { Value } from './values.js'

/** The names of a scope: the template's own, and one for each turn of a loop, call of a macro, or block. */
export class Frame {
  readonly #values = new Map<string, Value>()

  constructor(private readonly outer?: Frame) {}

  set(name: string, value: Value): void {
    this.#values.set(name, value)
  }

  /** The value in the nearest scope that has one. */
  get(name: string): Value | undefined {
    const value = this.#values.get(name)
    return value === undefined ? this.outer?.get(name) : value
  }
}
