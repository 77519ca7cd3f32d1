import { countMemory } from '../../../first-layer/kernels/shared-memory.js'
import type { ModelEntry, ModelVersion } from '../../../models/entry.js'

/** A model bound to one version of its tables, in one thread. */
export interface Bound {
  dispose(): void
}

/** Makes a thread's own objects for a version: tensors over its memory, the tokenizer, the position scheme. */
export type Bind<Model extends Bound> = (entry: ModelEntry, version: ModelVersion) => Promise<Model>

/** A model that stays usable until `release`, which is to be called exactly once. */
export interface Lease<Model> {
  readonly model: Model
  /** The model's entry when this version was published. */
  readonly entry: ModelEntry
  readonly version: ModelVersion
  release(): void
}

/** Milliseconds between two reports of a model's use. */
const USED_MS = 1000

interface Slot<Model extends Bound> {
  entry: ModelEntry
  current: BoundVersion<Model> | undefined
  /** When the keeper was last told that a request uses the model. */
  told: number
}

/**
 * The models of one thread. The keeper sends every thread the same entries. A request leases a model, and
 * reads the leased version until its end, even if the keeper sends a newer one.
 */
export class Library<Model extends Bound> {
  readonly #slots = new Map<string, Slot<Model>>()
  readonly #forgetters: ((id: string) => void)[] = []
  #tellUse: ((id: string) => void) | undefined

  /** @param letCardGo called when no request in this thread uses a replaced or dropped card any more */
  constructor(
    private readonly bind: Bind<Model>,
    private readonly letCardGo: () => void = () => {},
  ) {}

  entries(): readonly ModelEntry[] {
    return [...this.#slots.values()].map(({ entry }) => entry)
  }

  entry(id: string): ModelEntry | undefined {
    return this.#slots.get(id)?.entry
  }

  /**
   * Takes a model's new entry from the keeper.
   * @returns settles when no request in this thread reads the superseded version any more
   */
  put(entry: ModelEntry): Promise<void> {
    const { id } = entry.card
    if (entry.version !== undefined) countMemory(entry.version.tables.memory)
    const slot = this.#slots.get(id)
    if (slot === undefined) {
      this.#slots.set(id, { entry, current: undefined, told: -USED_MS })
      return Promise.resolve()
    }
    const before = slot.entry
    slot.entry = entry
    if (before.version?.number === entry.version?.number) {
      this.letCardGo()
      return Promise.resolve()
    }
    return this.#supersede(slot)
  }

  /** Drops a model; settles when no request in this thread reads it any more. */
  drop(id: string): Promise<void> {
    const slot = this.#slots.get(id)
    if (slot === undefined) return Promise.resolve()
    this.#slots.delete(id)
    for (const forget of this.#forgetters) forget(id)
    return this.#supersede(slot)
  }

  /** Calls `forget` with the id of each model that is dropped from now on. */
  onDrop(forget: (id: string) => void): void {
    this.#forgetters.push(forget)
  }

  /**
   * Leases the model's present version; the caller releases it when the request has ended. Returns the lease itself if the
   * version is bound already, undefined if the model has no version. The promise rejects if binding fails.
   */
  present(id: string): Lease<Model> | Promise<Lease<Model>> | undefined {
    const slot = this.#slots.get(id)
    const version = slot?.entry.version
    if (slot === undefined || version === undefined) return undefined
    const now = performance.now()
    if (now - slot.told >= USED_MS) {
      slot.told = now
      this.#tellUse?.(id)
    }
    if (slot.current === undefined) {
      const current = new BoundVersion(this.bind(slot.entry, version), slot.entry, version)
      slot.current = current
      current.bound.catch(() => {
        if (slot.current === current) slot.current = undefined // the next lease tries again
      })
    }
    return slot.current.lease()
  }

  /** Calls `tell` with the id of a model that is leased, at most once a second: the keeper evicts those used least recently. */
  onUse(tell: (id: string) => void): void {
    this.#tellUse = tell
  }

  async #supersede(slot: Slot<Model>): Promise<void> {
    const { current } = slot
    slot.current = undefined
    await current?.supersede()
    this.letCardGo()
  }
}

/** A version in this thread: bound at the first lease, disposed of when superseded and without readers. */
class BoundVersion<Model extends Bound> implements Lease<Model> {
  readonly bound: Promise<Model>
  #model: Model | undefined
  #readers = 0
  #drained: (() => void) | undefined

  constructor(
    binding: Promise<Model>,
    readonly entry: ModelEntry,
    readonly version: ModelVersion,
  ) {
    this.bound = binding.then((model) => {
      this.#model = model
      return model
    })
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

  /** Call it when the library leases this version no more. Settles when the version is disposed of. */
  async supersede(): Promise<void> {
    if (this.#readers > 0) {
      await new Promise<void>((resolve) => {
        this.#drained = resolve
      })
    }
    const model = await this.bound.catch(() => undefined) // a failed binding has nothing to dispose of
    model?.dispose()
  }
}
