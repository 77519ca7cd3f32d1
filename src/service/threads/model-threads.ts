import type { Model } from '../../first-layer/embeddings/model.js'
import type { ModelEntry } from '../models/entry.js'
import type { Drained, Threads } from '../models/keeper/registered-models.js'
import type { Library } from '../models/library/library.js'
import type { Ack } from './thread.js'
import type { ThreadGroup } from './thread-group.js'

/** Tells the libraries of all threads about models: the first thread's own, and those of the others. */
export class ModelThreads implements Threads {
  #library: Library<Model> | undefined
  #group: ThreadGroup | undefined

  constructor(readonly count: number) {}

  /** Sets the first thread's library, and puts the models into it that were added before. */
  serveHere(library: Library<Model>, entries: readonly ModelEntry[]): void {
    this.#library = library
    for (const entry of entries) void library.put(entry)
  }

  /** Sets the group of the other threads. They get all present models when they begin to serve. */
  serveThere(group: ThreadGroup): void {
    this.#group = group
  }

  put(entry: ModelEntry): Promise<Drained> {
    const here = this.#library?.put(entry)
    return drained(here, this.#group?.tell((id) => ({ type: 'put', id, entry })) ?? [])
  }

  drop(model: string): Promise<Drained> {
    const here = this.#library?.drop(model)
    return drained(here, this.#group?.tell((id) => ({ type: 'drop', id, model })) ?? [])
  }
}

async function drained(here: Promise<void> | undefined, others: readonly Ack[]): Promise<Drained> {
  const all = Promise.all([here, ...others.map((told) => told.drained)])
  await Promise.all(others.map(({ taken }) => taken))
  return { drained: all.then(() => {}) }
}
