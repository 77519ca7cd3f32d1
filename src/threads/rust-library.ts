import type { MessagePort } from 'node:worker_threads'
import type { RefusalOf, RustClient } from '../first-layer/tokens/rust/rust-client.js'
import { startRustThread } from '../first-layer/tokens/rust/start-rust-thread.js'
import type { LibraryThreadData } from './library-thread.js'

/** The thread of the Rust library, started when a model's tokenizer first needs it: one for all threads. */
export class RustLibrary {
  #client: RustClient | undefined

  /** @param died called when the thread has ended: tokenizers in all threads have lost it */
  constructor(
    private readonly data: LibraryThreadData,
    private readonly refusal: RefusalOf,
    private readonly died: (code: number) => void,
  ) {}

  client(): RustClient {
    if (this.#client !== undefined) return this.#client
    const { data, refusal } = this
    const { client, worker } = startRustThread({ file: 'dist/library-thread.js', data, refusal })
    worker.on('exit', this.died)
    this.#client = client
    return client
  }

  /** A port for one more thread, to be transferred to it; it starts the library's thread, where that is not running. */
  port(): MessagePort {
    return this.client().connect()
  }
}
