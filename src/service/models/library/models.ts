import type { ModelCard } from '../../../first-layer/cards/model-card.js'
import type { TokenizerOf } from '../../../first-layer/cards/tokenizers.js'
import type { SelectedBackend } from '../../../first-layer/embeddings/backends/select.js'
import type { Model } from '../../../first-layer/embeddings/model.js'
import { RowsUnreadable } from '../../../first-layer/errors.js'
import { waitWithin } from '../../../first-layer/running/wait.js'
import type { ModelEntry } from '../../../models/entry.js'
import type { Claim } from '../../process/turn.js'
import { modelFailed, modelLoading, modelNotFound, noCard, starting } from '../errors.js'
import type { ModelAdmin } from '../keeper/keeper.js'
import { type Bind, type Lease, Library } from './library.js'

/** Longest wait of a request for a model that is loading, in milliseconds; its own deadline may come first. */
const WAIT_MS = 10_000

export interface ModelsOptions {
  readonly bind: Bind<Model>
  /** Called when no request in this thread uses a replaced or dropped card any more. */
  letCardGo?(): void
  readonly admin: ModelAdmin
  readonly defaultModel: string
  backend(): SelectedBackend | undefined
  readonly tokenizerOf: TokenizerOf
  /** Whether the service is still loading the models that it loads at the start. */
  isStarting(): boolean
}

/** The models of one thread as requests use them: by a lease, of a model that is loaded first where it is not. */
export class Models extends Library<Model> {
  /** Fields that features add to a model's description, by name. */
  readonly facts = new Map<string, (id: string) => Promise<unknown>>()
  readonly admin: ModelAdmin
  readonly defaultModel: string
  readonly tokenizerOf: TokenizerOf

  constructor(private readonly options: ModelsOptions) {
    super(options.bind, options.letCardGo)
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

  /** The model's entry. @throws InletError `model_not_found`, `loading` while the folders are still being read */
  find(id = this.defaultModel): ModelEntry {
    const entry = this.entry(id)
    if (entry === undefined) throw this.isStarting ? starting() : modelNotFound(id, this.#ids())
    return entry
  }

  /** The model's card. @throws InletError as `find`, and `model_failed`, `model_loading` if it could not be read, or not yet */
  card(id?: string): ModelCard {
    const entry = this.find(id)
    if (entry.hasNoCard) throw noCard(entry)
    return entry.card
  }

  /**
   * Leases the present tables, which are made first if there are none.
   * @param claim of the request that waits for them
   * @throws InletError `model_not_found`, what loading throws, the error that the claim is aborted with
   */
  async holdTables(id: string, claim: Claim): Promise<Omit<Lease<Model>, 'model'>> {
    return this.lease(id, claim)
  }

  async close(): Promise<void> {
    await Promise.all(this.#ids().map((id) => this.drop(id)))
  }

  /**
   * Leases a model to one request, which releases it at its end. Loads the model first if necessary.
   * @param id absent: the default model
   * @param claim of the request that waits
   * @throws InletError `model_not_found`, `loading`, `model_loading`, `model_failed`, `insufficient_memory`
   */
  lease(id: string = this.defaultModel, claim: Claim): Lease<Model> | Promise<Lease<Model>> {
    return this.present(id) ?? this.#loaded(id, claim)
  }

  async #loaded(id: string, claim: Claim): Promise<Lease<Model>> {
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

  #ids(): readonly string[] {
    return this.entries().map(({ card }) => card.id)
  }
}
