import type { ModelCard } from '../../first-layer/cards/model-card.js'
import { bytesOfAll, type SharedTables, sameLayout } from '../../first-layer/embeddings/table-memory.js'
import type { OpenUpload, UploadPlan } from '../admin.js'
import type { ModelEntry, ModelVersion } from '../entry.js'
import { loaded } from '../entry.js'
import { modelExists, preconditionFailed, uploadGone } from '../errors.js'
import type { Loads } from './loads.js'
import type { Maker } from './maker.js'
import type { RegisteredModel, Registry } from './registry.js'
import { checkComplete, checkShapes, layoutWith, type Upload, type Uploads } from './uploads.js'

/**
 * Uploads: memory is set aside, the thread of the request fills it, and a commit puts the tables in the place of the
 * model's. Until then no model has changed.
 */
export class Exchanges {
  constructor(
    private readonly models: Registry,
    private readonly loads: Loads,
    private readonly maker: Maker,
    private readonly uploads: Uploads,
  ) {}

  /** @param thread whose request brings it: when the thread ends, its uploads are given up */
  async open(plan: UploadPlan, thread: number): Promise<OpenUpload> {
    const { id, card, tables } = plan
    this.uploads.checkRoom()
    if (card !== undefined) return this.#openNew(plan, card, thread)
    const kept = this.models.get(id)
    checkShapes(tables, kept.entry.card)
    if (kept.entry.version === undefined) {
      await this.loads.loadInTurn(id)
      return this.open(plan, thread) // all of it may be another by now
    }
    const layout = layoutWith(replacedVersion(kept, plan).tables.places, tables)
    this.loads.makeRoom(bytesOfAll(layout), id)
    return this.uploads.add({ plan, card: kept.entry.card, tables: kept.memories.take(layout), thread })
  }

  /** @param sha256 of the file that was uploaded, in hex */
  async commit(number: number, sha256: string): Promise<ModelEntry> {
    const upload = this.uploads.take(number)
    if (upload === undefined) throw uploadGone()
    const { plan, card, tables } = upload
    if (plan.card !== undefined) return this.#addNew(card, tables, sha256)
    return this.models.inTurn(plan.id, async (kept) => {
      const exchanged = await this.#exchanged(kept, upload)
      kept.exchanged = true
      await this.models.tell(kept, loaded(kept.entry, exchanged, sha256))
      return kept.entry
    })
  }

  abandon(number: number): void {
    const upload = this.uploads.take(number)
    if (upload !== undefined) this.models.find(upload.plan.id)?.memories.give(upload.tables)
  }

  threadEnded(thread: number): void {
    for (const number of this.uploads.of(thread)) this.abandon(number)
  }

  #openNew(plan: UploadPlan, card: ModelCard, thread: number): OpenUpload {
    const { id, tables } = plan
    if (this.models.find(id) !== undefined) throw modelExists(id)
    this.models.checkCount()
    checkShapes(tables, card)
    checkComplete(tables, card)
    this.loads.makeRoom(bytesOfAll(tables), id)
    const memory = this.models.newMemories(card).take(tables)
    return this.uploads.add({ plan, card, tables: memory, thread })
  }

  async #addNew(card: ModelCard, tables: SharedTables, sha256: string): Promise<ModelEntry> {
    if (this.models.find(card.id) !== undefined) throw modelExists(card.id)
    const kept = this.models.add(loaded({ card, origin: 'request', lastVersion: 0 }, tables, sha256))
    kept.exchanged = true
    await this.models.tell(kept, kept.entry)
    return kept.entry
  }

  /** The upload's tables together with those of the present version that the upload does not bring. */
  async #exchanged(kept: RegisteredModel, { plan, card, tables: given }: Upload): Promise<SharedTables> {
    if (kept.entry.card !== card) throw uploadGone() // deleted meanwhile, and another one made
    let tables = given
    try {
      if (kept.entry.version === undefined) await this.loads.load(kept)
      const version = replacedVersion(kept, plan)
      const brought = plan.tables.map(({ name }) => name)
      const layout = layoutWith(version.tables.places, plan.tables)
      if (!sameLayout(layout, given.places)) {
        tables = kept.memories.take(layout) // another exchange brought a table that was not there before
        await this.maker.copy(given, tables, brought)
      }
      const others = layout.map(({ name }) => name).filter((name) => !brought.includes(name))
      if (others.length > 0) await this.maker.copy(version.tables, tables, others)
      return tables
    } catch (error) {
      kept.memories.give(tables)
      throw error
    }
  }
}

/** The version that an upload replaces. @throws InletError `precondition_failed` */
function replacedVersion({ id, entry }: RegisteredModel, { ifVersion }: UploadPlan): ModelVersion {
  const version = entry.version as ModelVersion // the caller has loaded the model
  if (ifVersion === undefined || ifVersion === version.number) return version
  throw preconditionFailed(id, ifVersion, version.number)
}
