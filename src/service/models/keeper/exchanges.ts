import type { ModelCard } from '../../../first-layer/cards/model-card.js'
import { exchangeableOf, parametersOf } from '../../../first-layer/cards/seed-card.js'
import {
  bytesOfAll,
  type SharedTables,
  sameLayout,
  sameShape,
  type TableShape,
} from '../../../first-layer/embeddings/table-memory.js'
import { loaded, type ModelEntry, type ModelVersion } from '../../../models/entry.js'
import { overloaded } from '../../answer/error-table.js'
import { modelExists, preconditionFailed, shapeMismatch, uploadGone } from '../errors.js'
import type { Loads } from './loads.js'
import type { Maker } from './maker.js'
import { memoryFor, type RegisteredModel, type RegisteredModels } from './registered-models.js'

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

export interface OpenUpload {
  readonly upload: number
  readonly tables: SharedTables
}

interface Upload {
  readonly plan: UploadPlan
  /** The model's card when the upload began. */
  readonly card: ModelCard
  readonly tables: SharedTables
}

/**
 * Exchanges tables by uploads, and makes new models from them: sets memory aside, which the thread of the
 * request fills, and puts it in the place of the model's tables, or adds the model, when the upload is
 * committed. Until then no model changes.
 */
export class Exchanges {
  readonly #open = new Map<number, Upload>()
  #next = 1

  constructor(
    private readonly models: RegisteredModels,
    private readonly loads: Loads,
    private readonly maker: Maker,
  ) {}

  async open(plan: UploadPlan): Promise<OpenUpload> {
    const { id, card, tables } = plan
    if (this.#open.size >= MAX_UPLOADS)
      throw overloaded(`At most ${MAX_UPLOADS} uploads can be on their way at once.`)
    if (card !== undefined) {
      if (this.models.find(id) !== undefined) throw modelExists(id)
      this.models.checkCount()
      checkShapes(tables, card)
      checkComplete(tables, card)
      this.loads.makeRoom(bytesOfAll(tables), id)
      return this.#add({ plan, card, tables: memoryFor(card, tables, this.models.threads.count) })
    }
    const model = this.models.get(id)
    this.loads.checkFree(model)
    checkShapes(tables, model.entry.card)
    if (model.entry.version === undefined) {
      await this.loads.loadInTurn(id)
      return this.open(plan) // everything checked so far may have changed
    }
    const layout = layoutWith(replacedVersion(model, plan).tables.places, tables)
    this.loads.makeRoom(bytesOfAll(layout), id)
    return this.#add({ plan, card: model.entry.card, tables: model.take(layout) })
  }

  async commit(number: number, sha256: string): Promise<ModelEntry> {
    const upload = this.#take(number)
    if (upload === undefined) throw uploadGone()
    const { plan, card, tables } = upload
    if (plan.card !== undefined) return this.#addNew(card, tables, sha256)
    return this.models.inTurn(plan.id, async (model) => {
      if (model.owned !== undefined) model.give(upload.tables)
      this.loads.checkFree(model) // it may have got an owner since the upload began
      const exchanged = await this.#exchanged(model, upload)
      model.exchanged = true
      await this.models.tell(model, loaded(model.entry, exchanged, sha256))
      return model.entry
    })
  }

  abandon(number: number): void {
    const upload = this.#take(number)
    if (upload !== undefined) this.models.find(upload.plan.id)?.give(upload.tables)
  }

  #add(upload: Upload): OpenUpload {
    const number = this.#next++
    this.#open.set(number, upload)
    this.loads.uploadBytes += bytesOfAll(upload.tables.places)
    return { upload: number, tables: upload.tables }
  }

  #take(number: number): Upload | undefined {
    const upload = this.#open.get(number)
    if (this.#open.delete(number)) this.loads.uploadBytes -= bytesOfAll(upload!.tables.places)
    return upload
  }

  async #addNew(card: ModelCard, tables: SharedTables, sha256: string): Promise<ModelEntry> {
    if (this.models.find(card.id) !== undefined) throw modelExists(card.id)
    const model = this.models.add(loaded({ card, origin: 'request', lastVersion: 0 }, tables, sha256))
    model.exchanged = true
    await this.models.tell(model, model.entry)
    return model.entry
  }

  /** The upload's tables together with those of the present version that the upload does not bring. */
  async #exchanged(model: RegisteredModel, { plan, card, tables: given }: Upload): Promise<SharedTables> {
    if (model.entry.card !== card) throw uploadGone() // deleted since, and another one made
    let tables = given
    try {
      if (model.entry.version === undefined) await this.loads.load(model)
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
}

/** The version that an upload replaces, of a loaded model. @throws InletError `precondition_failed` */
function replacedVersion({ id, entry }: RegisteredModel, { ifVersion }: UploadPlan): ModelVersion {
  const version = entry.version as ModelVersion
  if (ifVersion === undefined || ifVersion === version.number) return version
  throw preconditionFailed(id, ifVersion, version.number)
}

/** @throws InletError `shape_mismatch` for a table that is unknown, or of another shape or type */
function checkShapes(given: readonly TableShape[], card: ModelCard): void {
  const known = exchangeableOf(card)
  for (const table of given) {
    const expected = known.find(({ name }) => name === table.name)
    if (expected === undefined || !sameShape(table, expected)) throw shapeMismatch(table, expected, known)
  }
}

/** A new model's upload must bring every table that a seed would draw. @throws InletError `shape_mismatch` */
function checkComplete(given: readonly TableShape[], card: ModelCard): void {
  for (const parameter of parametersOf(card)) {
    if (given.some(({ name }) => name === parameter.name)) continue
    throw shapeMismatch(undefined, parameter, [])
  }
}

/** The layout of a version, with the tables that an upload adds to it. */
function layoutWith(present: readonly TableShape[], brought: readonly TableShape[]): readonly TableShape[] {
  return [...present, ...brought.filter(({ name }) => !present.some((place) => place.name === name))]
}
