import type { MessagePort } from 'node:worker_threads'
import type { ForeignClient } from '../first-layer/tokens/foreign/foreign-client.js'
import { startForeignThread } from '../first-layer/tokens/foreign/start-foreign-thread.js'

/** The thread of the Rust library, started when a model's tokenizer first needs it: one for all threads. */
export class ForeignLibrary {
  #client: ForeignClient | undefined

  /** @param died called when the thread has ended: tokenizers in all threads have lost it */
  constructor(private readonly died: (code: number) => void) {}

  client(): ForeignClient {
    if (this.#client !== undefined) return this.#client
    const { client, worker } = startForeignThread()
    worker.on('exit', this.died)
    this.#client = client
    return client
  }

  /** A port for one more thread, to be transferred to it; it starts the library's thread, where that is not running. */
  port(): MessagePort {
    return this.client().connect()
  }
}
