import type { ModelEntry, ModelVersion } from './entry.js'

/** A model as one thread uses it, with what belongs to one version of its tables. */
export interface Bound {
  /** Lets go of what the thread made for it. */
  dispose(): void
}

/** Makes a thread's own of a version: tensors over its memory, the tokenizer, the position scheme. */
export type Bind<Model extends Bound> = (entry: ModelEntry, version: ModelVersion) => Promise<Model>

/** A model that nothing takes away before it is given back. */
export interface Lease<Model> {
  readonly model: Model
  release(): void
}

interface Shelf<Model> {
  entry: ModelEntry
  current: Copy<Model> | undefined
}

/** A version in this thread: bound when it is first asked for, let go when it is superseded and nobody reads it. */
interface Copy<Model> {
  readonly bound: Promise<Model>
  readers: number
  superseded: boolean
  drained: () => void
}

/**
 * The models of one thread. The keeper tells every thread the same; a request leases a model and keeps the version
 * that it got until its end, whatever comes meanwhile.
 */
export class Library<Model extends Bound> {
  readonly #shelves = new Map<string, Shelf<Model>>()
  readonly #used = new Set<string>()

  constructor(private readonly bind: Bind<Model>) {}

  /** Every model, in the order in which they came. */
  entries(): readonly ModelEntry[] {
    return [...this.#shelves.values()].map(({ entry }) => entry)
  }

  entry(id: string): ModelEntry | undefined {
    return this.#shelves.get(id)?.entry
  }

  /**
   * Takes in what the keeper says of a model.
   *
   * @returns settles when nobody in this thread reads the version any more that it supersedes
   */
  put(entry: ModelEntry): Promise<void> {
    const { id } = entry.card
    const shelf = this.#shelves.get(id)
    if (shelf === undefined) {
      this.#shelves.set(id, { entry, current: undefined })
      return Promise.resolve()
    }
    const before = shelf.entry
    shelf.entry = entry
    if (before.version?.number === entry.version?.number) return Promise.resolve()
    return this.#supersede(shelf)
  }

  /** Forgets a model; settles when nobody in this thread reads it any more. */
  drop(id: string): Promise<void> {
    const shelf = this.#shelves.get(id)
    if (shelf === undefined) return Promise.resolve()
    this.#shelves.delete(id)
    this.#used.delete(id)
    return this.#supersede(shelf)
  }

  /**
   * The model's present version, to be given back when the request has ended. Undefined where it has none.
   *
   * @throws what binding throws
   */
  async lease(id: string): Promise<Lease<Model> | undefined> {
    const shelf = this.#shelves.get(id)
    const version = shelf?.entry.version
    if (shelf === undefined || version === undefined) return undefined
    this.#used.add(id)
    shelf.current ??= this.#copyOf(shelf.entry, version)
    const copy = shelf.current
    copy.readers++
    try {
      return { model: await copy.bound, release: onceOnly(() => this.#left(copy)) }
    } catch (error) {
      this.#left(copy)
      if (shelf.current === copy) shelf.current = undefined // the next one may have more luck
      throw error
    }
  }

  /** The models that were leased since the last call. */
  takeUsed(): readonly string[] {
    const used = [...this.#used]
    this.#used.clear()
    return used
  }

  #copyOf(entry: ModelEntry, version: ModelVersion): Copy<Model> {
    return { bound: this.bind(entry, version), readers: 0, superseded: false, drained: () => {} }
  }

  #supersede(shelf: Shelf<Model>): Promise<void> {
    const copy = shelf.current
    shelf.current = undefined
    if (copy === undefined) return Promise.resolve()
    copy.superseded = true
    if (copy.readers === 0) return disposed(copy)
    return new Promise((resolve) => {
      copy.drained = () => resolve(disposed(copy))
    })
  }

  #left(copy: Copy<Model>): void {
    copy.readers--
    if (copy.superseded && copy.readers === 0) copy.drained()
  }
}

async function disposed<Model extends Bound>(copy: Copy<Model>): Promise<void> {
  const model = await copy.bound.catch(() => undefined) // what never was needs no disposal
  model?.dispose()
}

function onceOnly(act: () => void): () => void {
  let done = false
  return () => {
    if (!done) act()
    done = true
  }
}
