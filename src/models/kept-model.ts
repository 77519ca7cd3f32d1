import type { ModelEntry } from './entry.js'
import type { Memories } from './memories.js'

/** One model as the keeper knows it. Changes to it run one after the other. */
export class KeptModel {
  /** Whether tables were uploaded: the service could not make those again from the card's source. */
  exchanged = false
  /** Bytes of the tables that are being made for it. */
  coming = 0
  #loading: Promise<ModelEntry> | undefined
  #busy: Promise<unknown> = Promise.resolve()

  /** @param lastUsed a counter: the greater, the later */
  constructor(
    public entry: ModelEntry,
    readonly memories: Memories,
    public lastUsed: number,
  ) {}

  get id(): string {
    return this.entry.card.id
  }

  /** Settles when the changes that were asked for so far are done. */
  get settled(): Promise<unknown> {
    return this.#busy
  }

  /** Runs `change` when all earlier changes are done. */
  inTurn<Result>(change: () => Promise<Result>): Promise<Result> {
    this.#loading = undefined // what is asked for from now on comes after this change
    const result = this.#busy.then(change)
    this.#busy = result.catch(() => {})
    return result
  }

  /**
   * Runs `load` in turn, once for all callers between two other changes. If each caller had a turn of its own, a model
   * that is unloaded between two turns would be loaded again for a caller that may have left long ago.
   */
  loadInTurn(load: () => Promise<ModelEntry>): Promise<ModelEntry> {
    if (this.#loading !== undefined) return this.#loading
    const loading = this.inTurn(load).finally(() => {
      if (this.#loading === loading) this.#loading = undefined // a model without room may find some later
    })
    this.#loading = loading
    return loading
  }
}
