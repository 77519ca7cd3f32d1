import { isDeepStrictEqual } from 'node:util'
import type { ModelCard } from '../../../first-layer/cards/model-card.js'
import type { SharedTables } from '../../../first-layer/embeddings/table-memory.js'
import { type ModelEntry, type Origin, unloaded } from '../../../models/entry.js'
import { InletError, shown } from '../../answer/error-table.js'
import { modelExists, modelFailed } from '../errors.js'
import { Exchanges, type OpenUpload, type UploadPlan } from './exchanges.js'
import { type KeeperOptions, Loads, type TableOwner } from './loads.js'
import type { Maker } from './maker.js'
import { OwnedTables } from './owned-tables.js'
import { RegisteredModels, type Threads } from './registered-models.js'

/**
 * Changes the models of the process. Runs in the first thread, sends every thread each change, and leaves long work to the
 * maker. `loads.ts` makes and frees tables, `exchanges.ts` replaces them by uploads, `registered-models.ts` holds the models.
 */
export class Keeper {
  readonly #models: RegisteredModels
  readonly #loads: Loads
  readonly #exchanges: Exchanges

  constructor(
    threads: Threads,
    private readonly maker: Maker,
    options: KeeperOptions,
  ) {
    this.#models = new RegisteredModels(threads)
    this.#loads = new Loads(this.#models, maker, options)
    this.#exchanges = new Exchanges(this.#models, this.#loads, maker)
  }

  /** Lets an owner have tables of models. @returns what it does with them */
  own(owner: TableOwner): OwnedTables {
    this.#loads.owner = owner
    return new OwnedTables(this.#models, this.#loads)
  }

  /** Every model; a thread that starts later is told these. */
  entries(): readonly ModelEntry[] {
    return this.#models.entries()
  }

  async add(entry: ModelEntry): Promise<void> {
    const model = this.#models.add(entry)
    await this.#models.tell(model, entry)
  }

  /** Makes a model from its card, unless an equal one exists. @throws `model_exists`, `insufficient_memory` */
  async make(card: ModelCard): Promise<{ entry: ModelEntry; made: boolean }> {
    const known = this.#models.find(card.id)
    if (known !== undefined) {
      if (!isDeepStrictEqual(known.entry.card, card)) throw modelExists(card.id)
      await known.idle
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

  /** Makes the tables of a model that has none. @throws `model_not_found`, `insufficient_memory`, `model_failed` */
  load(id: string): Promise<ModelEntry> {
    return this.#loads.loadInTurn(id)
  }

  /**
   * Loads a model that has no tables; one of a folder as the folder is now, with its tokenizer and templates. A folder that
   * has appeared since the start becomes a model. @throws as {@link load}
   */
  async loadAnew(id: string): Promise<ModelEntry> {
    const known = this.#models.find(id)
    const { owner, options } = this.#loads
    const isFolder = known === undefined || (known.entry.origin === 'folder' && !owner?.has(id))
    const entry = isFolder && known?.entry.version === undefined && (await options.readFolder?.(id))
    if (entry) {
      if (entry.error !== undefined) throw modelFailed(id, entry.error.message)
      if (this.#models.find(id) === undefined) await this.add(entry)
      else await this.#models.inTurn(id, (model) => this.#loads.replaceCard(model, entry))
    }
    return this.load(id)
  }

  /** Loads a model as the service starts, which one whose owner cannot give its tables does not stop: its entry says why. */
  async loadAtStart(id: string): Promise<ModelEntry> {
    try {
      return await this.load(id)
    } catch (error) {
      if (!this.#loads.owner?.has(id)) throw error
      return this.#models.get(id).entry
    }
  }

  /** Frees a model's tables when the requests that use them have ended. @throws `model_not_found` */
  unload(id: string): Promise<ModelEntry> {
    return this.#models.inTurn(id, async (model) => {
      this.#loads.checkFree(model)
      await this.#loads.unload(model)
      return model.entry
    })
  }

  /** Frees the tables of a model whose rows on disk cannot be read; no request is served from the rest. */
  fail(id: string, message: string): Promise<void> {
    return this.#models.inTurn(id, (model) => this.#loads.fail(model, message))
  }

  /** Deletes a model. @throws `model_not_found`, `model_in_use` for one of the configuration */
  async remove(id: string): Promise<void> {
    const { origin } = this.#models.get(id).entry
    if (origin !== 'request') {
      const message = `\`model\` ${shown(id)} cannot be deleted: it belongs to the ${ORIGINS[origin]}.`
      throw new InletError('model_in_use', message, 'model')
    }
    await this.#models.inTurn(id, async () => {
      await this.#loads.owner?.forget(id)
      await this.#models.remove(id)
    })
  }

  /**
   * Sets memory aside for an upload. Nothing of the model changes before it is committed.
   * @throws `model_not_found`, `model_exists`, `precondition_failed`, `shape_mismatch`, `insufficient_memory`
   */
  openUpload(plan: UploadPlan): Promise<OpenUpload> {
    return this.#exchanges.open(plan)
  }

  /**
   * Replaces the model's tables with those of the upload, for every request that begins from now on.
   * @param sha256 of the file that was uploaded, in hex
   * @throws `precondition_failed`, `model_not_found` if the model has been deleted
   */
  commitUpload(upload: number, sha256: string): Promise<ModelEntry> {
    return this.#exchanges.commit(upload, sha256)
  }

  async abandonUpload(upload: number): Promise<void> {
    this.#exchanges.abandon(upload)
  }

  /** SHA-256, in hex, of `header` followed by all tables in order. The caller must hold a lease on the tables. */
  digest(tables: SharedTables, header: Uint8Array): Promise<string> {
    return this.maker.hash(header, tables)
  }

  /** Notes that these models were used: the least recently used are evicted first. */
  noteUse(ids: readonly string[]): void {
    this.#models.noteUse(ids)
  }
}

/** The changes of models that requests ask for: the threads but the first call that one's keeper. */
export type ModelAdmin = Pick<
  Keeper,
  | 'make'
  | 'load'
  | 'loadAnew'
  | 'unload'
  | 'fail'
  | 'remove'
  | 'openUpload'
  | 'commitUpload'
  | 'abandonUpload'
  | 'digest'
>

const ORIGINS: Readonly<Record<Origin, string>> = {
  environment: 'configuration',
  folder: 'models’ folder',
  request: 'requests',
}
