import { bindModel } from '../../../checkpoints/bind-model.js'
import type { ModelCard } from '../../../first-layer/cards/model-card.js'
import type { TokenizerOf } from '../../../first-layer/cards/tokenizers.js'
import type { SelectedBackend } from '../../../first-layer/embeddings/backends/select.js'
import type { Model } from '../../../first-layer/embeddings/model.js'
import { RowsUnreadable } from '../../../first-layer/errors.js'
import { countMemory } from '../../../first-layer/kernels/shared-memory.js'
import { waitWithin } from '../../../first-layer/running/wait.js'
import type { ModelEntry, ModelVersion } from '../../../models/entry.js'
import type { Claim } from '../../process/turn.js'
import { modelFailed, modelLoading, modelNotFound, noCard, starting } from '../errors.js'
import type { ModelAdmin } from '../keeper/keeper.js'

/** Longest wait of a request for a model that is loading, in milliseconds; its own deadline may come first. */
const WAIT_MS = 10_000

/** Milliseconds between two reports of a model's use. */
const USED_MS = 1000

/** Makes a thread's own objects for a version: tensors over its memory, the tokenizer, the position scheme. */
type Bind = (entry: ModelEntry, version: ModelVersion) => Promise<Model>

/** A model that stays usable until `release`, which is to be called exactly once. */
export interface Lease {
  readonly model: Model
  /** The model's entry when this version was published. */
  readonly entry: ModelEntry
  readonly version: ModelVersion
  release(): void
}

export interface ModelsOptions {
  readonly bind: Bind
  /** Called when no request in this thread uses a replaced or dropped card any more. */
  letCardGo?(): void
  readonly admin: ModelAdmin
  readonly defaultModel: string
  backend(): SelectedBackend | undefined
  readonly tokenizerOf: TokenizerOf
  /** Whether the service is still loading the models that it loads at the start. */
  isStarting(): boolean
}

interface Slot {
  entry: ModelEntry
  current: BoundVersion | undefined
  /** When the keeper was last told that a request uses the model. */
  told: number
}

/**
 * The models of one thread. The keeper sends every thread the same entries. A request leases a model, which is loaded first
 * where it is not, and reads the leased version until its end, even if the keeper sends a newer one.
 */
export class Models {
  /** Fields that features add to a model's description, by name. */
  readonly facts = new Map<string, (id: string) => Promise<unknown>>()
  readonly admin: ModelAdmin
  readonly defaultModel: string
  readonly tokenizerOf: TokenizerOf
  readonly #slots = new Map<string, Slot>()
  readonly #forgetters: ((id: string) => void)[] = []

  constructor(private readonly options: ModelsOptions) {
    this.admin = options.admin
    this.defaultModel = options.defaultModel
    this.tokenizerOf = options.tokenizerOf
  }

  get backend(): SelectedBackend | undefined {
    return this.options.backend()
  }

  get isStarting(): boolean {
    return this.options.isStarting()
  }

  entries(): readonly ModelEntry[] {
    return [...this.#slots.values()].map(({ entry }) => entry)
  }

  entry(id: string): ModelEntry | undefined {
    return this.#slots.get(id)?.entry
  }

  /** The model's entry. @throws InletError `model_not_found`, `loading` while the folders are still being read */
  find(id = this.defaultModel): ModelEntry {
    const entry = this.entry(id)
    if (entry === undefined) throw this.isStarting ? starting() : modelNotFound(id, [...this.#slots.keys()])
    return entry
  }

  /** The model's card. @throws InletError as `find`, and `model_failed`, `model_loading` if it could not be read, or not yet */
  card(id?: string): ModelCard {
    const entry = this.find(id)
    if (entry.hasNoCard) throw noCard(entry)
    return entry.card
  }

  /**
   * Takes a model's new entry from the keeper.
   * @returns settles when no request in this thread reads the superseded version any more
   */
  async put(entry: ModelEntry): Promise<void> {
    const { id } = entry.card
    if (entry.version !== undefined) countMemory(entry.version.tables.memory)
    const slot = this.#slots.get(id)
    if (slot === undefined) {
      this.#slots.set(id, { entry, current: undefined, told: -USED_MS })
      return
    }
    const before = slot.entry
    slot.entry = entry
    if (before.version?.number === entry.version?.number) this.options.letCardGo?.()
    else await this.#supersede(slot)
  }

  /** Drops a model; settles when no request in this thread reads it any more. */
  async drop(id: string): Promise<void> {
    const slot = this.#slots.get(id)
    if (slot === undefined) return
    this.#slots.delete(id)
    for (const forget of this.#forgetters) forget(id)
    await this.#supersede(slot)
  }

  /** Calls `forget` with the id of each model that is dropped from now on. */
  onDrop(forget: (id: string) => void): void {
    this.#forgetters.push(forget)
  }

  /** Binds each loaded model now, so that no request waits for it. Logs one that cannot be bound; only its own requests fail. */
  async bindLoaded(log: { error(facts: object, message: string): void }): Promise<void> {
    for (const id of [...this.#slots.keys()]) {
      try {
        const lease = await this.present(id)
        lease?.release()
      } catch (error) {
        log.error({ model: id, reason: (error as Error).message }, 'a model cannot be bound')
      }
    }
  }

  /**
   * Leases the model's present version; the caller releases it when the request has ended. Returns the lease itself if the
   * version is bound already, undefined if the model has no version. The promise rejects if binding fails.
   */
  present(id: string): Lease | Promise<Lease> | undefined {
    const slot = this.#slots.get(id)
    const version = slot?.entry.version
    if (slot === undefined || version === undefined) return undefined
    const now = performance.now()
    if (now - slot.told >= USED_MS) {
      slot.told = now
      void this.admin.noteUse(id)
    }
    if (slot.current === undefined) {
      const current = new BoundVersion(this.options.bind(slot.entry, version), slot.entry, version)
      slot.current = current
      current.bound.catch(() => {
        if (slot.current === current) slot.current = undefined // the next lease tries again
      })
    }
    return slot.current.lease()
  }

  /**
   * Leases a model to one request, which releases it at its end. Loads the model first if necessary.
   * @param id absent: the default model
   * @param claim of the request that waits
   * @throws InletError `model_not_found`, `loading`, `model_loading`, `model_failed`, `insufficient_memory`
   */
  lease(id: string = this.defaultModel, claim: Claim): Lease | Promise<Lease> {
    return this.present(id) ?? this.#loaded(id, claim)
  }

  async #loaded(id: string, claim: Claim): Promise<Lease> {
    const { state, error, isUnreadable } = this.find(id)
    if (isUnreadable) throw new RowsUnreadable(error!.message)
    if (state === 'failed') throw modelFailed(id, error?.message)
    if (this.isStarting) throw starting()
    const until = performance.now() + WAIT_MS
    const late = () => {
      throw modelLoading(id)
    }
    const limit = { milliseconds: WAIT_MS, late }
    for (;;) {
      await waitWithin(this.admin.load(id), { claim, limit })
      const lease = this.present(id)
      if (lease !== undefined) return lease
      if (performance.now() > until) throw modelLoading(id) // others evict it again and again
      claim.throwIfAborted()
    }
  }

  async #supersede(slot: Slot): Promise<void> {
    const { current } = slot
    slot.current = undefined
    await current?.supersede()
    this.options.letCardGo?.()
  }
}

/** A version in this thread: bound at the first lease, disposed of when superseded and without readers. */
class BoundVersion implements Lease {
  /** Valid once `lease` has settled. */
  model!: Model
  readonly bound: Promise<Lease>
  #readers = 0
  #drained: (() => void) | undefined

  constructor(
    binding: Promise<Model>,
    readonly entry: ModelEntry,
    readonly version: ModelVersion,
  ) {
    this.bound = binding.then((model) => {
      this.model = model
      return this
    })
  }

  lease(): Lease | Promise<Lease> {
    this.#readers++
    if (this.model !== undefined) return this
    this.bound.catch(() => this.release())
    return this.bound
  }

  release(): void {
    this.#readers--
    if (this.#readers === 0) this.#drained?.()
  }

  /** Call it when this version is leased no more. Settles when it is disposed of. */
  async supersede(): Promise<void> {
    if (this.#readers > 0) {
      await new Promise<void>((resolve) => {
        this.#drained = resolve
      })
    }
    const lease = await this.bound.catch(() => undefined) // a failed binding has nothing to dispose of
    lease?.model.dispose()
  }
}

/**
 * Makes one thread's `Model`s from the keeper's entries, over the memory that all threads share.
 * @param failed called with the id of a model whose rows on disk cannot be read, and the reason
 */
export function bindIn(
  thread: number,
  tokenizerOf: TokenizerOf,
  failed?: (id: string, message: string) => void,
): Bind {
  return async ({ card }, { tables, number }) => {
    const own = { thread, version: String(number) }
    return bindModel(card, tables, await tokenizerOf(card), own, ({ message }) => failed?.(card.id, message))
  }
}
