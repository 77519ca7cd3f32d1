import { type ModelCard, widestRow } from '../../../first-layer/cards/model-card.js'
import {
  allocateTables,
  type SharedTables,
  sameLayout,
  type TableShape,
} from '../../../first-layer/embeddings/table-memory.js'
import { WorkQueue } from '../../../first-layer/running/wait.js'
import { heldBytes, type ModelEntry } from '../../../models/entry.js'
import { withRoom } from '../errors.js'

/** One model of the registry. Changes to it run one after the other. */
export class RegisteredModel {
  /** Whether its tables were uploaded: the card's source could not make those again. */
  exchanged = false
  /** Bytes that the owner of its tables holds beside them; undefined: they have none. */
  owned: number | undefined
  /** Superseded versions that requests still read. */
  draining = 0
  /**
   * An unread memory for the next exchange: those of equal layout alternate between two. New memories are freed only when the
   * garbage collector runs, so fifty exchanges in a row could hold fifty of them.
   */
  spare: SharedTables | undefined
  #forSpare: (() => void)[] = []
  #loading: Promise<ModelEntry> | undefined
  readonly #changes = new WorkQueue()

  /** @param lastUsed a counter: the greater, the later */
  constructor(
    public entry: ModelEntry,
    private readonly threads: number,
    public lastUsed: number,
  ) {}

  get id(): string {
    return this.entry.card.id
  }

  /** Whether nothing could make its tables again: such a model is never evicted. */
  get isKept(): boolean {
    return this.exchanged || this.owned !== undefined
  }

  /** Bytes of the other copies of its tables that a model with an owner has: each memory besides the present one. */
  get copyBytes(): number {
    const besides = this.draining + (this.spare === undefined ? 0 : 1)
    return Math.max(1, besides) * heldBytes(this.entry)
  }

  get allBytes(): number {
    return heldBytes(this.entry) + (this.owned === undefined ? 0 : this.owned + this.copyBytes)
  }

  /** Memory for tables of this layout, the spare one or a new one; its content is undefined. @throws as {@link memoryFor} */
  take(layout: readonly TableShape[]): SharedTables {
    const { spare } = this
    this.spare = undefined // one of another layout would keep the next spare from its place
    const isFit = spare !== undefined && sameLayout(spare.places, layout)
    return isFit ? spare : memoryFor(this.entry.card, layout, this.threads)
  }

  /** Keeps an unused memory for the next exchange, unless there is a spare one already. */
  give(tables: SharedTables): void {
    this.spare ??= tables
    for (const goOn of this.#forSpare.splice(0)) goOn()
  }

  /** Settles when there is a spare memory, or after so many milliseconds. */
  async spareWithin(milliseconds?: number): Promise<void> {
    if (this.spare !== undefined) return
    let timer: NodeJS.Timeout | undefined
    await new Promise<void>((resolve) => {
      this.#forSpare.push(resolve)
      if (milliseconds !== undefined) timer = setTimeout(resolve, milliseconds)
    })
    clearTimeout(timer)
  }

  inTurn<Result>(change: () => Promise<Result>): Promise<Result> {
    this.#loading = undefined // a later load comes after this change
    return this.#changes.run(change)
  }

  /**
   * Runs `load` in turn, once for all callers between two other changes. With a turn for each caller, a model
   * that is unloaded between two turns would be loaded again for a caller that may have left long ago.
   */
  loadInTurn(load: () => Promise<ModelEntry>): Promise<ModelEntry> {
    if (this.#loading !== undefined) return this.#loading
    const loading = this.inTurn(load).finally(() => {
      if (this.#loading === loading) this.#loading = undefined // the next caller may find room
    })
    this.#loading = loading
    return loading
  }
}

/** @throws InletError `insufficient_memory` above 4 GiB, or if the system cannot give so much */
export function memoryFor(card: ModelCard, layout: readonly TableShape[], threads: number): SharedTables {
  return withRoom(() => allocateTables(layout, widestRow(card), threads))
}
