import type { SharedTables } from '../embeddings/table-memory.js'
import type { ModelAdmin, OpenUpload, UploadPlan } from '../models/admin.js'
import type { ModelEntry } from '../models/entry.js'
import type { ModelCard } from '../models/model-card.js'
import type { AdminMethod, Order } from './messages.js'
import { received } from './sent-errors.js'

interface Asked {
  resolve(result: unknown): void
  reject(error: Error): void
}

/** The `ModelAdmin` of a thread that is not the first: it asks the first thread for each call. */
export class RemoteAdmin implements ModelAdmin {
  readonly #asked = new Map<number, Asked>()
  #nextId = 1

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
    const asked = this.#asked.get(id)
    this.#asked.delete(id)
    if (error === undefined) asked?.resolve(result)
    else asked?.reject(received(error))
  }

  #ask<Result>(method: AdminMethod, ...args: readonly unknown[]): Promise<Result> {
    const id = this.#nextId++
    return new Promise<Result>((resolve, reject) => {
      this.#asked.set(id, { resolve: (result) => resolve(result as Result), reject })
      this.send(id, method, args)
    })
  }
}
