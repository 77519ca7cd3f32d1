import type { Budget } from './budget.js'

/** Bytes of a part beside its characters. */
const PART_BYTES = 16

/** A text that is written part by part; the budget counts it. */
export class Output {
  readonly #parts: string[] = []
  /** Characters so far, in UTF-16 units. */
  length = 0

  constructor(private readonly budget: Budget) {}

  /** @throws ChatError `template_unsupported` beyond the most characters */
  write(part: string): undefined {
    if (part === '') return
    this.length += part.length
    this.budget.checkText(this.length)
    this.budget.make(PART_BYTES + 2 * part.length)
    this.#parts.push(part)
  }

  toString(): string {
    return this.#parts.join('')
  }
}
