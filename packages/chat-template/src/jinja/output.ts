import type { Budget } from './budget.js'
import { points } from './values.js'

/** Bytes of a part beside its characters. */
const PART_BYTES = 16

/** A text that is written part by part; the budget counts it. */
export class Output {
  readonly #parts: string[] = []
  #length = 0
  #points = 0
  /** Parts of which the code points are counted. */
  #counted = 0

  constructor(private readonly budget: Budget) {}

  /** @throws ChatError `template_unsupported` beyond the most characters */
  write(part: string): undefined {
    if (part === '') return
    this.#length += part.length
    this.budget.checkText(this.#length)
    this.budget.make(PART_BYTES + 2 * part.length)
    this.#parts.push(part)
  }

  /** Code points so far. */
  get points(): number {
    for (; this.#counted < this.#parts.length; this.#counted++)
      this.#points += points(this.#parts[this.#counted], this.budget)
    return this.#points
  }

  toString(): string {
    return this.#parts.join('')
  }
}
