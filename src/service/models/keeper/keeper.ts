import { isDeepStrictEqual } from 'node:util'
import type { ModelCard } from '../../../first-layer/cards/model-card.js'
import { exchangeableOf, parametersOf } from '../../../first-layer/cards/seed-card.js'
import {
  bytesOfAll,
  type SharedTables,
  sameLayout,
  sameShape,
  type TableShape,
} from '../../../first-layer/embeddings/table-memory.js'
import { loaded, type ModelEntry, type ModelVersion, type Origin, unloaded } from '../../../models/entry.js'
import { InletError, overloaded, shown } from '../../answer/error-table.js'
import { modelExists, modelFailed, preconditionFailed, shapeMismatch, uploadGone } from '../errors.js'
import { memoryFor, type RegisteredModel } from './registered-model.js'
import { Registry } from './registry.js'

/** Most uploads at once: each holds memory for its tables, and more would not be faster. */
export const MAX_UPLOADS = 8

/** The tables that an upload announces. */
export interface UploadPlan {
  readonly id: string
  /** The card of the new model; absent if the upload exchanges tables of an existing one. */
  readonly card?: ModelCard
  readonly tables: readonly TableShape[]
  /** The version that the caller expects to replace: the exchange is refused if the model has another one. */
  readonly ifVersion?: number
}

interface Upload {
  readonly plan: UploadPlan
  /** The model's card when the upload began. */
  readonly card: ModelCard
  readonly tables: SharedTables
}

/** Changes the models of the process. Runs in the first thread, and leaves long work to the maker. */
export class Keeper extends Registry {
  readonly #uploads = new Map<number, Upload>()
  #nextUpload = 1

  /** Makes a model from its card, unless an equal one exists. @throws `model_exists`, `insufficient_memory` */
  async make(card: ModelCard): Promise<{ entry: ModelEntry; made: boolean }> {
    const known = this.find(card.id)
    if (known !== undefined) {
      if (!isDeepStrictEqual(known.entry.card, card)) throw modelExists(card.id)
      await known.inTurn(async () => {})
      if (this.find(card.id) !== known) return this.make(card) // it could not be made, or was deleted
      return { entry: known.entry, made: false }
    }
    const model = this.register(unloaded(card, 'request'))
    try {
      const entry = await model.loadInTurn(async () => {
        await this.tell(model, model.entry)
        return this.loadNow(model)
      })
      return { entry, made: true }
    } catch (error) {
      await this.drop(card.id)
      throw error
    }
  }

  /**
   * Loads a model that has no tables; one of a folder as the folder is now, with its tokenizer and templates. A folder that
   * has appeared since the start becomes a model. @throws as {@link load}
   */
  async loadAnew(id: string): Promise<ModelEntry> {
    const known = this.find(id)
    const isFolder = known === undefined || (known.entry.origin === 'folder' && !this.owner?.has(id))
    const entry = isFolder && known?.entry.version === undefined && (await this.options.readFolder?.(id))
    if (entry) {
      if (entry.error !== undefined) throw modelFailed(id, entry.error.message)
      if (this.find(id) === undefined) await this.add(entry)
      else await this.inTurn(id, (model) => this.replaceCard(model, entry))
    }
    return this.load(id)
  }

  /** Loads a model as the service starts, which one whose owner cannot give its tables does not stop: its entry says why. */
  async loadAtStart(id: string): Promise<ModelEntry> {
    try {
      return await this.load(id)
    } catch (error) {
      if (!this.owner?.has(id)) throw error
      return this.get(id).entry
    }
  }

  /** Frees a model's tables when the requests that use them have ended. @throws `model_not_found` */
  unload(id: string): Promise<ModelEntry> {
    return this.inTurn(id, async (model) => {
      this.checkFree(model)
      await this.free(model)
      return model.entry
    })
  }

  /** Frees the tables of a model whose rows on disk cannot be read; no request is served from the rest. */
  fail(id: string, message: string): Promise<void> {
    return this.inTurn(id, async (model) => {
      if (model.entry.version === undefined) return // another thread has said so
      const error = { code: 'model_failed', message } as const
      await this.free(model, { state: 'failed', error, isUnreadable: true })
    })
  }

  /** Deletes a model. @throws `model_not_found`, `model_in_use` for one of the configuration */
  async remove(id: string): Promise<void> {
    const { origin } = this.get(id).entry
    if (origin !== 'request') {
      const message = `\`model\` ${shown(id)} cannot be deleted: it belongs to the ${ORIGINS[origin]}.`
      throw new InletError('model_in_use', message, 'model')
    }
    await this.inTurn(id, async () => {
      await this.owner?.forget(id)
      await this.drop(id)
    })
  }

  /**
   * Sets memory aside for an upload, which the thread of the request fills. No model changes before it is committed.
   * @throws `model_not_found`, `model_exists`, `precondition_failed`, `shape_mismatch`, `insufficient_memory`
   */
  async openUpload(plan: UploadPlan): Promise<{ readonly upload: number; readonly tables: SharedTables }> {
    const { id, tables } = plan
    if (this.#uploads.size >= MAX_UPLOADS)
      throw overloaded(`At most ${MAX_UPLOADS} uploads can be on their way at once.`)
    const model = plan.card === undefined ? this.get(id) : undefined
    if (model !== undefined) this.checkFree(model)
    else {
      if (this.find(id) !== undefined) throw modelExists(id)
      this.checkCount()
    }
    const card = model?.entry.card ?? plan.card!
    checkShapes(plan, card)
    if (model !== undefined && model.entry.version === undefined) {
      await this.load(id)
      return this.openUpload(plan) // everything checked so far may have changed
    }
    const layout = model ? layoutWith(replacedVersion(model, plan).tables.places, tables) : tables
    this.makeRoom(bytesOfAll(layout), id)
    const memory = model?.take(layout) ?? memoryFor(card, layout, this.threads.count)
    const upload = this.#nextUpload++
    this.#uploads.set(upload, { plan, card, tables: memory })
    this.uploadBytes += bytesOfAll(layout)
    return { upload, tables: memory }
  }

  /**
   * Replaces the model's tables with those of the upload, for every request that begins from now on, or adds the model.
   * @param sha256 of the file that was uploaded, in hex
   * @throws `precondition_failed`, `model_not_found` if the model has been deleted
   */
  async commitUpload(number: number, sha256: string): Promise<ModelEntry> {
    const upload = this.#take(number)
    if (upload === undefined) throw uploadGone()
    const { plan, card, tables } = upload
    const replace = async (model: RegisteredModel, entry: ModelEntry) => {
      model.exchanged = true
      await this.tell(model, entry)
      return entry
    }
    if (plan.card === undefined) {
      return this.inTurn(plan.id, async (model) => {
        const merged = await this.#merged(model, upload)
        return replace(model, loaded(model.entry, merged, { sha256 }))
      })
    }
    if (this.find(card.id) !== undefined) throw modelExists(card.id)
    const entry = loaded({ card, origin: 'request', lastVersion: 0 }, tables, { sha256 })
    return replace(this.register(entry), entry)
  }

  async abandonUpload(number: number): Promise<void> {
    const upload = this.#take(number)
    if (upload !== undefined) this.find(upload.plan.id)?.give(upload.tables)
  }

  #take(number: number): Upload | undefined {
    const upload = this.#uploads.get(number)
    if (this.#uploads.delete(number)) this.uploadBytes -= bytesOfAll(upload!.tables.places)
    return upload
  }

  /** The upload's tables together with those of the present version that the upload does not bring. */
  async #merged(model: RegisteredModel, { plan, card, tables: given }: Upload): Promise<SharedTables> {
    if (model.entry.card !== card) throw uploadGone() // deleted since, and another one made
    let tables = given
    try {
      this.checkFree(model) // it may have got an owner since the upload began
      await this.loadNow(model)
      const version = replacedVersion(model, plan)
      const brought = plan.tables.map(({ name }) => name)
      const layout = layoutWith(version.tables.places, plan.tables)
      if (!sameLayout(layout, given.places)) {
        tables = model.take(layout) // another exchange brought a table that was not there before
        await this.maker.copy(given, tables, brought)
      }
      const others = layout.map(({ name }) => name).filter((name) => !brought.includes(name))
      if (others.length > 0) await this.maker.copy(version.tables, tables, others)
      return tables
    } catch (error) {
      model.give(tables)
      throw error
    }
  }

  /** SHA-256, in hex, of `header` followed by all tables in order. The caller must hold a lease on the tables. */
  digest(tables: SharedTables, header: Uint8Array): Promise<string> {
    return this.maker.hash(header, tables)
  }
}

/** The changes of models that requests ask for: the threads but the first call that one's keeper. */
export type ModelAdmin = Omit<Keeper, keyof Registry | 'loadAtStart'> & Pick<Registry, 'load' | 'noteUse'>

const ORIGINS: Readonly<Record<Origin, string>> = {
  environment: 'configuration',
  folder: 'models’ folder',
  request: 'requests',
}

/** The version that an upload replaces, of a loaded model. @throws InletError `precondition_failed` */
function replacedVersion({ id, entry }: RegisteredModel, { ifVersion }: UploadPlan): ModelVersion {
  const version = entry.version as ModelVersion
  if (ifVersion === undefined || ifVersion === version.number) return version
  throw preconditionFailed(id, ifVersion, version.number)
}

/**
 * A new model's upload must bring every table that a seed would draw.
 * @throws InletError `shape_mismatch` for a table that is unknown or missing, or of another shape or type
 */
function checkShapes({ tables, card: isNew }: UploadPlan, card: ModelCard): void {
  const known = exchangeableOf(card)
  for (const table of tables) {
    const expected = known.find(({ name }) => name === table.name)
    if (expected === undefined || !sameShape(table, expected)) throw shapeMismatch(table, expected, known)
  }
  if (isNew === undefined) return
  const missing = parametersOf(card).find(({ name }) => !tables.some((table) => table.name === name))
  if (missing !== undefined) throw shapeMismatch(undefined, missing, [])
}

/** The layout of a version, with the tables that an upload adds to it. */
function layoutWith(present: readonly TableShape[], brought: readonly TableShape[]): readonly TableShape[] {
  return [...present, ...brought.filter(({ name }) => !present.some((place) => place.name === name))]
}
