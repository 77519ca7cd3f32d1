import type { ModelCard } from '../../../first-layer/cards/model-card.js'
import { equalCards } from '../../../first-layer/cards/seed-card.js'
import type { SharedTables } from '../../../first-layer/embeddings/table-memory.js'
import type { ModelAdmin, OpenUpload, UploadPlan } from '../admin.js'
import { type ModelEntry, type Origin, unloaded } from '../entry.js'
import { modelExists, modelInUse } from '../errors.js'
import { checkLearnsNot, Exchanges } from './exchanges.js'
import { LearningTables } from './learning-tables.js'
import { Loads } from './loads.js'
import type { Maker } from './maker.js'
import type { RegisteredModel, Threads } from './registered-models.js'
import { RegisteredModels } from './registered-models.js'
import { Uploads } from './uploads.js'

export interface KeeperOptions {
  /** Bytes of all tables together. */
  readonly maxTableBytes: number
  /** Called now and then with the share of a model's tables that is made, 0 … 1. */
  progress?(id: string, share: number): void
  /** Bytes set aside for files of learning on their way. */
  held?(): number
}

/**
 * Changes the models of the process. Runs in the first thread, sends every thread each change, and leaves long work to the
 * maker. `loads.ts` makes and frees tables, `exchanges.ts` replaces them by uploads, `registry.ts` holds the models.
 */
export class Keeper implements ModelAdmin {
  readonly #models: RegisteredModels
  readonly #loads: Loads
  readonly #exchanges: Exchanges
  readonly learning: LearningTables
  /** Called in the turn of a model without tables: gives it those that it has learned. @returns whether it has any */
  reopen: (model: RegisteredModel) => Promise<boolean> = async () => false
  /** Called in the turn of a model that is to be deleted. */
  endLearning: (id: string) => Promise<void> = async () => {}

  constructor(
    threads: Threads,
    private readonly maker: Maker,
    { maxTableBytes, progress = () => {}, held = () => 0 }: KeeperOptions,
  ) {
    const uploads = new Uploads()
    this.#models = new RegisteredModels(threads)
    const reserved = () => uploads.bytes + held()
    this.#loads = new Loads(this.#models, maker, {
      ...{ maxTableBytes, progress, reserved },
      reopen: (model) => this.reopen(model),
    })
    this.learning = new LearningTables(this.#models, this.#loads)
    this.#exchanges = new Exchanges(this.#models, this.#loads, maker, uploads)
  }

  /** Every model; a thread that starts later is told these. */
  entries(): readonly ModelEntry[] {
    return this.#models.entries()
  }

  /** Adds a model without loading it, or one that cannot be loaded. */
  async add(entry: ModelEntry): Promise<void> {
    const model = this.#models.add(entry)
    await this.#models.tell(model, entry)
  }

  /**
   * Adds a model whose card is still being read. Loads of it wait for that.
   *
   * @param read settles with the model's entry, never rejects
   */
  async addUnread(entry: ModelEntry, read: Promise<ModelEntry>): Promise<void> {
    const model = this.#models.add(entry)
    void model.inTurn(async () => {
      const known = await read
      model.memories = this.#models.newMemories(known.card)
      await this.#models.tell(model, known)
    })
    await this.#models.tell(model, entry)
  }

  async make(card: ModelCard): Promise<{ entry: ModelEntry; made: boolean }> {
    const known = this.#models.find(card.id)
    if (known !== undefined) {
      if (!equalCards(known.entry.card, card)) throw modelExists(card.id)
      await known.settled
      if (this.#models.find(card.id) !== known) return this.make(card) // it could not be made, or was deleted
      return { entry: known.entry, made: false }
    }
    const model = this.#models.add(unloaded(card, 'request'))
    try {
      const entry = await model.loadInTurn(async () => {
        await this.#models.tell(model, model.entry)
        return this.#loads.load(model)
      })
      return { entry, made: true }
    } catch (error) {
      await this.#models.remove(card.id)
      throw error
    }
  }

  load(id: string): Promise<ModelEntry> {
    return this.#loads.loadInTurn(id)
  }

  unload(id: string): Promise<ModelEntry> {
    return this.#models.inTurn(id, async (model) => {
      checkLearnsNot(model)
      await this.#loads.unload(model)
      return model.entry
    })
  }

  async remove(id: string): Promise<void> {
    const { origin } = this.#models.get(id).entry
    if (origin !== 'request') throw modelInUse(id, `it belongs to the ${ORIGINS[origin]}`)
    await this.#models.inTurn(id, async () => {
      await this.endLearning(id)
      await this.#models.remove(id)
    })
  }

  openUpload(plan: UploadPlan): Promise<OpenUpload> {
    return this.#exchanges.open(plan)
  }

  commitUpload(upload: number, sha256: string): Promise<ModelEntry> {
    return this.#exchanges.commit(upload, sha256)
  }

  async abandonUpload(upload: number): Promise<void> {
    this.#exchanges.abandon(upload)
  }

  digest(tables: SharedTables, header: Uint8Array): Promise<string> {
    return this.maker.hash(header, tables)
  }

  /** Notes that these models were used: the least recently used are evicted first. */
  noteUse(ids: readonly string[]): void {
    this.#models.noteUse(ids)
  }
}

/** How an error message names the origin of a model that cannot be deleted. */
const ORIGINS: Readonly<Record<Origin, string>> = {
  environment: 'configuration',
  folder: 'models’ folder',
  request: 'requests',
}
