import { unsupported } from '../refusals.js'

/** The text that a template has written so far. */
export class Output {
  readonly #parts: string[] = []
  length = 0

  constructor(private readonly most: number) {}

  /** @throws ChatError `template_unsupported` beyond the most characters */
  write(part: string): void {
    this.length += part.length
    if (this.length > this.most) throw unsupported('the chat', `has more than ${this.most} characters`)
    if (part !== '') this.#parts.push(part)
  }

  toString(): string {
    return this.#parts.join('')
  }
}
