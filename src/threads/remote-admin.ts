import type { ModelCard } from '../first-layer/cards/model-card.js'
import type { SharedTables } from '../first-layer/embeddings/table-memory.js'
import type { ModelAdmin, OpenUpload, UploadPlan } from '../models/admin.js'
import type { ModelEntry } from '../models/entry.js'
import { Calls } from './calls.js'
import type { AdminMethod, Order } from './messages.js'
import { received } from './sent-errors.js'

/** The `ModelAdmin` of a thread that is not the first: it asks the first thread for each call. */
export class RemoteAdmin implements ModelAdmin {
  readonly #calls = new Calls<unknown>()

  constructor(private readonly send: (id: number, method: AdminMethod, args: readonly unknown[]) => void) {}

  make(card: ModelCard): Promise<{ entry: ModelEntry; made: boolean }> {
    return this.#ask('make', card)
  }

  load(id: string): Promise<ModelEntry> {
    return this.#ask('load', id)
  }

  unload(id: string): Promise<ModelEntry> {
    return this.#ask('unload', id)
  }

  remove(id: string): Promise<void> {
    return this.#ask('remove', id)
  }

  openUpload(plan: UploadPlan): Promise<OpenUpload> {
    return this.#ask('openUpload', plan)
  }

  commitUpload(upload: number, sha256: string): Promise<ModelEntry> {
    return this.#ask('commitUpload', upload, sha256)
  }

  abandonUpload(upload: number): Promise<void> {
    return this.#ask('abandonUpload', upload)
  }

  digest(tables: SharedTables, header: Uint8Array): Promise<string> {
    return this.#ask('digest', tables, header)
  }

  /** Takes an answer of the first thread, and settles the call that waits for it. */
  take({ id, result, error }: Extract<Order, { type: 'answer' }>): void {
    if (error === undefined) this.#calls.resolve(id, result)
    else this.#calls.reject(id, received(error))
  }

  #ask<Result>(method: AdminMethod, ...args: readonly unknown[]): Promise<Result> {
    const { id, answer } = this.#calls.open()
    this.send(id, method, args)
    return answer as Promise<Result>
  }
}
