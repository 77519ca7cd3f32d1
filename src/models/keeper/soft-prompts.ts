import type { SoftPrompt } from '../soft-prompt.js'

/** The soft prompts of one model. */
export class SoftPrompts {
  readonly #prompts = new Map<string, SoftPrompt>()
  #bytes = 0

  /** Bytes of all their rows. */
  get bytes(): number {
    return this.#bytes
  }

  get count(): number {
    return this.#prompts.size
  }

  all(): readonly SoftPrompt[] {
    return [...this.#prompts.values()]
  }

  get(name: string): SoftPrompt | undefined {
    return this.#prompts.get(name)
  }

  put(prompt: SoftPrompt): void {
    this.#bytes += prompt.numbers.byteLength - this.#bytesOf(prompt.name)
    this.#prompts.set(prompt.name, prompt)
  }

  remove(name: string): void {
    this.#bytes -= this.#bytesOf(name)
    this.#prompts.delete(name)
  }

  #bytesOf(name: string): number {
    return this.#prompts.get(name)?.numbers.byteLength ?? 0
  }
}
