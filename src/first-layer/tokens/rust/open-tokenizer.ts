import { type Steps, waitFor } from '../../steps.js'
import type { RustClient } from './rust-client.js'

/**
 * A tokenizer of the library that is open as long as a model has it or a text is under way. A text that comes after
 * that opens it once more, and closes it again.
 */
export class OpenTokenizer {
  /** The model, and each text under way. */
  #users = 1
  #opened: Promise<void> | undefined

  /** @param json UTF-8 in shared memory */
  constructor(
    private readonly client: RustClient,
    private readonly key: string,
    private readonly json: Uint8Array,
  ) {}

  /** @throws InletError as `RustClient.open` */
  open(): Promise<void> {
    this.#opened ??= this.client.open(this.key, this.json)
    return this.#opened
  }

  /** Does something with the tokenizer, by its key. */
  *use<T>(act: (client: RustClient, key: string) => Steps<T>): Steps<T> {
    this.#users++
    try {
      yield* waitFor(this.open())
      return yield* act(this.client, this.key)
    } finally {
      this.#leave()
    }
  }

  /** The model has it no more: to be called once. */
  release(): void {
    this.#leave()
  }

  #leave(): void {
    if (--this.#users > 0) return
    const opened = this.#opened
    this.#opened = undefined
    opened?.then(() => this.client.close(this.key)).catch(() => {}) // what was not opened need not be closed
  }
}
