import type { ModelEntry, ModelVersion } from './entry.js'
import { heldBytes } from './room.js'

/** A model as one thread uses it, with what belongs to one version of its tables. */
export interface Bound {
  /** Frees what the thread made for this version. */
  dispose(): void
}

/** Makes a thread's own objects for a version: tensors over its memory, the tokenizer, the position scheme. */
export type Bind<Model extends Bound> = (entry: ModelEntry, version: ModelVersion) => Promise<Model>

/** A model that stays usable until `release`, which is to be called exactly once. */
export interface Lease<Model> {
  readonly model: Model
  /** What the model was when its version came. */
  readonly entry: ModelEntry
  readonly version: ModelVersion
  release(): void
}

interface Shelf<Model extends Bound> {
  entry: ModelEntry
  current: Copy<Model> | undefined
  /** Whether a request has leased it since the last `takeUsed`. */
  isUsed: boolean
}

/**
 * The models of one thread. The keeper tells every thread the same. A request leases a model and keeps the
 * version that it got until the request ends, even if the keeper sends a newer version meanwhile.
 */
export class Library<Model extends Bound> {
  readonly #shelves = new Map<string, Shelf<Model>>()
  readonly #forgetters: ((id: string) => void)[] = []

  /**
   * @param letTablesGo called with the bytes of tables that this thread reads no more
   * @param letCardGo called when no request in this thread reads a model by a card that was replaced or dropped
   */
  constructor(
    private readonly bind: Bind<Model>,
    private readonly letTablesGo: (bytes: number) => void = () => {},
    private readonly letCardGo: () => void = () => {},
  ) {}

  /** Every model, in the order in which they came. */
  entries(): readonly ModelEntry[] {
    return [...this.#shelves.values()].map(({ entry }) => entry)
  }

  entry(id: string): ModelEntry | undefined {
    return this.#shelves.get(id)?.entry
  }

  /**
   * Takes in a model's new entry from the keeper.
   *
   * @returns settles when no request in this thread reads the superseded version any more
   */
  put(entry: ModelEntry): Promise<void> {
    const { id } = entry.card
    const shelf = this.#shelves.get(id)
    if (shelf === undefined) {
      this.#shelves.set(id, { entry, current: undefined, isUsed: false })
      return Promise.resolve()
    }
    const before = shelf.entry
    shelf.entry = entry
    if (before.version?.number === entry.version?.number) {
      this.letCardGo()
      return Promise.resolve()
    }
    return this.#supersede(shelf, before)
  }

  /** Forgets a model; settles when no request in this thread reads it any more. */
  drop(id: string): Promise<void> {
    const shelf = this.#shelves.get(id)
    if (shelf === undefined) return Promise.resolve()
    this.#shelves.delete(id)
    for (const forget of this.#forgetters) forget(id)
    return this.#supersede(shelf, shelf.entry)
  }

  /** Has `forget` called with the id of each model that is dropped from now on. */
  onDrop(forget: (id: string) => void): void {
    this.#forgetters.push(forget)
  }

  /**
   * The model's present version; the caller releases it when the request has ended. Not a promise where this
   * thread has the version bound already. Undefined where the model has no version.
   *
   * @throws what binding throws (the promise rejects)
   */
  lease(id: string): Lease<Model> | Promise<Lease<Model>> | undefined {
    const shelf = this.#shelves.get(id)
    const version = shelf?.entry.version
    if (shelf === undefined || version === undefined) return undefined
    shelf.isUsed = true
    if (shelf.current === undefined) {
      const copy = new Copy(this.bind(shelf.entry, version), shelf.entry, version)
      shelf.current = copy
      copy.bound.catch(() => {
        if (shelf.current === copy) shelf.current = undefined // the next lease tries again
      })
    }
    return shelf.current.lease()
  }

  /** The models that this thread has in use. */
  bound(): readonly Model[] {
    const copies = [...this.#shelves.values()].map(({ current }) => current)
    return copies.flatMap((copy) => (copy?.isThere ? [copy.model] : []))
  }

  /** The models that were leased since the last call. */
  takeUsed(): readonly string[] {
    const used: string[] = []
    for (const [id, shelf] of this.#shelves) {
      if (shelf.isUsed) used.push(id)
      shelf.isUsed = false
    }
    return used
  }

  async #supersede(shelf: Shelf<Model>, before: ModelEntry): Promise<void> {
    const copy = shelf.current
    shelf.current = undefined
    await copy?.supersede()
    this.letTablesGo(heldBytes(before))
    this.letCardGo()
  }
}

/**
 * A version in this thread: bound at the first lease, disposed of when it is superseded and no request reads it.
 */
class Copy<Model extends Bound> implements Lease<Model> {
  readonly bound: Promise<Model>
  #model: Model | undefined
  #readers = 0
  #drained: (() => void) | undefined

  constructor(
    bound: Promise<Model>,
    readonly entry: ModelEntry,
    readonly version: ModelVersion,
  ) {
    this.bound = bound.then((model) => {
      this.#model = model
      return model
    })
  }

  get isThere(): boolean {
    return this.#model !== undefined
  }

  /** Valid once `lease` has settled. */
  get model(): Model {
    return this.#model as Model
  }

  lease(): Lease<Model> | Promise<Lease<Model>> {
    this.#readers++
    if (this.#model !== undefined) return this
    return this.bound.then(
      () => this,
      (error) => {
        this.release()
        throw error
      },
    )
  }

  release(): void {
    this.#readers--
    if (this.#readers === 0) this.#drained?.()
  }

  /** Called when the library gives this version to nobody any more. Settles when the version is disposed of. */
  async supersede(): Promise<void> {
    if (this.#readers > 0) {
      await new Promise<void>((resolve) => {
        this.#drained = resolve
      })
    }
    const model = await this.bound.catch(() => undefined) // binding failed: there is nothing to dispose of
    model?.dispose()
  }
}
