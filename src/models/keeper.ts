import { bytesOfAll, type SharedTables, sameLayout } from '../embeddings/table-memory.js'
import { InletError } from '../errors.js'
import type { ModelAdmin, OpenUpload, UploadPlan } from './admin.js'
import { equalCards } from './card.js'
import type { ModelEntry, ModelVersion, Origin } from './entry.js'
import type { Maker } from './maker.js'
import { Memories } from './memories.js'
import type { ModelCard } from './model-card.js'
import {
  modelExists,
  modelFailed,
  modelInUse,
  modelNotFound,
  preconditionFailed,
  uploadGone,
  uploadsGone,
} from './model-errors.js'
import { parametersOf } from './parameters.js'
import { modelsToUnload } from './room.js'
import type { Threads } from './threads.js'
import { checkComplete, checkShapes, layoutWith, type Upload, Uploads } from './uploads.js'

interface Kept {
  entry: ModelEntry
  readonly memories: Memories
  /** Settles when the changes to this model that were asked for so far are done: they run one after the other. */
  busy: Promise<unknown>
  exchanged: boolean
  lastUsed: number
  /** Bytes of the tables that are being made. */
  coming: number
}

export interface KeeperOptions {
  /** Bytes of all tables together. */
  readonly maxTableBytes: number
  /** Called now and then with the share of a model's tables that is made, 0 … 1. */
  progress?(id: string, share: number): void
}

/**
 * Keeps the models of the process: makes, exchanges, unloads and drops them, and tells every thread. It runs in the
 * first thread, and leaves all long work to the maker.
 */
export class Keeper implements ModelAdmin {
  readonly #models = new Map<string, Kept>()
  readonly #uploads = new Uploads()
  #uses = 0

  constructor(
    private readonly threads: Threads,
    private readonly maker: Maker,
    private readonly options: KeeperOptions,
  ) {}

  /** Every model; a thread that starts later is told these. */
  entries(): readonly ModelEntry[] {
    return [...this.#models.values()].map(({ entry }) => entry)
  }

  /** Adds a model without loading it, or one that cannot be loaded. */
  async add(entry: ModelEntry): Promise<void> {
    this.#models.set(entry.card.id, this.#kept(entry))
    await this.threads.put(entry)
  }

  async make(card: ModelCard): Promise<{ entry: ModelEntry; made: boolean }> {
    const there = this.#models.get(card.id)
    if (there !== undefined) {
      if (!equalCards(there.entry.card, card)) throw modelExists(card.id)
      await there.busy
      return { entry: there.entry, made: false }
    }
    this.#models.set(card.id, this.#kept(unloaded(card, 'request')))
    try {
      const entry = await this.#inTurn(card.id, async (kept) => {
        await this.threads.put(kept.entry)
        return this.#load(kept)
      })
      return { entry, made: true }
    } catch (error) {
      await this.#forget(card.id) // nothing is left half done
      throw error
    }
  }

  load(id: string): Promise<ModelEntry> {
    return this.#inTurn(id, (kept) => this.#load(kept))
  }

  unload(id: string): Promise<ModelEntry> {
    return this.#inTurn(id, async (kept) => {
      await this.#unload(kept)
      return kept.entry
    })
  }

  async remove(id: string): Promise<void> {
    const { entry } = this.#get(id)
    if (entry.origin !== 'request') throw modelInUse(id, `it belongs to the ${ORIGINS[entry.origin]}`)
    await this.#inTurn(id, () => this.#forget(id))
  }

  /** @param thread whose request brings it: when the thread ends, its uploads are given up */
  async openUpload(plan: UploadPlan, thread = 0): Promise<OpenUpload> {
    const { id, card, tables } = plan
    this.#uploads.checkRoom()
    if (card !== undefined) {
      if (this.#models.has(id)) throw modelExists(id)
      checkShapes(tables, card)
      checkComplete(tables, card)
      this.#makeRoom(bytesOfAll(tables), id)
      const memory = new Memories(card.embeddingDim, this.threads.count).take(tables)
      return this.#uploads.add({ plan, card, tables: memory, thread })
    }
    const { entry, memories } = this.#get(id)
    checkShapes(tables, entry.card)
    if (entry.version === undefined) {
      await this.load(id)
      return this.openUpload(plan, thread) // all of it may be another by now
    }
    const version = this.#versionFor(plan)
    const layout = layoutWith(version.tables.places, tables)
    this.#makeRoom(bytesOfAll(layout), id)
    return this.#uploads.add({ plan, card: entry.card, tables: memories.take(layout), thread })
  }

  commitUpload(upload: number, sha256: string): Promise<ModelEntry> {
    const taken = this.#uploads.take(upload)
    if (taken === undefined) return Promise.reject(uploadGone())
    const { plan, tables } = taken
    if (plan.card !== undefined) return this.#addUploaded(plan.card, tables, sha256)
    return this.#inTurn(plan.id, (kept) => this.#exchange(kept, taken, sha256))
  }

  async abandonUpload(upload: number): Promise<void> {
    const taken = this.#uploads.take(upload)
    if (taken !== undefined) this.#models.get(taken.plan.id)?.memories.give(taken.tables)
  }

  digest(tables: SharedTables, header: Uint8Array): Promise<string> {
    return this.maker.hash(header, tables)
  }

  /** Called when a thread has ended: gives up the uploads that the thread had begun. */
  threadEnded(thread: number): void {
    for (const upload of this.#uploads.of(thread)) void this.abandonUpload(upload)
  }

  /** Notes that these models were used: `#makeRoom` unloads those used least recently. */
  noteUse(ids: readonly string[]): void {
    this.#uses++
    for (const id of ids) {
      const kept = this.#models.get(id)
      if (kept !== undefined) kept.lastUsed = this.#uses
    }
  }

  async #load(kept: Kept): Promise<ModelEntry> {
    const { card, version, lastVersion, isUnreadable, error: unreadable } = kept.entry
    if (version !== undefined) return kept.entry
    if (isUnreadable) throw modelFailed(card.id, unreadable?.message)
    if (card.source.type === 'upload') throw uploadsGone(card.id)
    const layout = parametersOf(card)
    let tables: SharedTables
    try {
      this.#makeRoom(bytesOfAll(layout), card.id)
      kept.coming = bytesOfAll(layout)
      kept.lastUsed = ++this.#uses
      await this.#tell(kept, { ...without(kept.entry), state: 'loading' })
      tables = kept.memories.take(layout)
      await this.maker.fill(card, tables, (share) => this.options.progress?.(card.id, share))
    } catch (error) {
      await this.#tell(kept, notLoaded(kept.entry, error))
      throw error
    } finally {
      kept.coming = 0
    }
    await this.#tell(kept, ready(kept.entry, { number: lastVersion + 1, tables, created: secondsNow() }))
    return kept.entry
  }

  async #unload(kept: Kept): Promise<void> {
    if (kept.entry.isUnreadable) return
    kept.exchanged = false
    await this.#tell(kept, { ...without(kept.entry), state: 'unloaded' })
    kept.memories.clear()
  }

  async #forget(id: string): Promise<void> {
    this.#models.delete(id)
    await this.threads.drop(id)
  }

  async #addUploaded(card: ModelCard, tables: SharedTables, sha256: string): Promise<ModelEntry> {
    if (this.#models.has(card.id)) throw modelExists(card.id)
    const version = { number: 1, tables, created: secondsNow(), sha256 }
    const entry = ready({ card, origin: 'request' }, version)
    this.#models.set(card.id, { ...this.#kept(entry), exchanged: true })
    await this.threads.put(entry)
    return entry
  }

  async #exchange(kept: Kept, { plan, card, tables: given }: Upload, sha256: string): Promise<ModelEntry> {
    if (kept.entry.card !== card) throw uploadGone() // deleted meanwhile, and another one made
    let tables = given
    try {
      if (kept.entry.version === undefined) await this.#load(kept)
      const version = this.#versionFor(plan)
      const brought = plan.tables.map(({ name }) => name)
      const layout = layoutWith(version.tables.places, plan.tables)
      if (!sameLayout(layout, given.places)) {
        tables = kept.memories.take(layout) // another exchange brought a table that was not there before
        await this.maker.copy(given, tables, brought)
      }
      const others = layout.map(({ name }) => name).filter((name) => !brought.includes(name))
      if (others.length > 0) await this.maker.copy(version.tables, tables, others)
    } catch (error) {
      kept.memories.give(tables)
      throw error
    }
    kept.exchanged = true
    const number = kept.entry.lastVersion + 1
    await this.#tell(kept, ready(kept.entry, { number, tables, created: secondsNow(), sha256 }))
    return kept.entry
  }

  /** The version that an upload replaces. @throws InletError `model_not_found`, `precondition_failed` */
  #versionFor({ id, ifVersion }: UploadPlan): ModelVersion {
    const { version } = this.#get(id).entry
    if (version === undefined) throw this.#notFound(id)
    if (ifVersion !== undefined && ifVersion !== version.number) {
      throw preconditionFailed(id, ifVersion, version.number)
    }
    return version
  }

  /** Runs `work` when all earlier work on the same model is done. */
  #inTurn<Result>(id: string, work: (kept: Kept) => Promise<Result>): Promise<Result> {
    const kept = this.#models.get(id)
    if (kept === undefined) return Promise.reject(this.#notFound(id))
    const result = kept.busy.then(() => {
      if (this.#models.get(id) !== kept) throw this.#notFound(id)
      return work(kept)
    })
    kept.busy = result.catch(() => {})
    return result
  }

  /**
   * Tells every thread of the new entry. When no request reads the old memory any more, it is kept for the next
   * exchange.
   */
  async #tell(kept: Kept, entry: ModelEntry): Promise<void> {
    const before = kept.entry.version
    kept.entry = entry
    const { drained } = await this.threads.put(entry)
    if (before === undefined || before === entry.version) return
    void drained.then(() => {
      if (kept.entry.version !== undefined) kept.memories.give(before.tables)
    })
  }

  /** Unloads the models used least recently until there is room. @throws InletError `insufficient_memory` */
  #makeRoom(bytes: number, forModel: string): void {
    const others = [...this.#models.values()].filter(({ entry }) => entry.card.id !== forModel)
    const needed = bytes + this.#uploads.bytes
    for (const { entry } of modelsToUnload(others, needed, this.options.maxTableBytes)) {
      const unloading = this.#inTurn(entry.card.id, async (kept) => {
        if (!kept.exchanged) await this.#unload(kept) // an exchange may have come before
      })
      unloading.catch(() => {}) // it may be gone by then
    }
  }

  #kept(entry: ModelEntry): Kept {
    return {
      entry,
      memories: new Memories(entry.card.embeddingDim, this.threads.count),
      busy: Promise.resolve(),
      exchanged: false,
      lastUsed: ++this.#uses,
      coming: 0,
    }
  }

  #notFound(id: string): InletError {
    return modelNotFound(id, [...this.#models.keys()])
  }

  #get(id: string): Kept {
    const kept = this.#models.get(id)
    if (kept === undefined) throw this.#notFound(id)
    return kept
  }
}

/** How an error message names the origin of a model that cannot be deleted. */
const ORIGINS: Readonly<Record<Origin, string>> = {
  environment: 'configuration',
  folder: 'models’ folder',
  request: 'requests',
}

/** The entry of a model that no request has asked for yet. */
export function unloaded(card: ModelCard, origin: Origin): ModelEntry {
  return { card, origin, state: 'unloaded', lastVersion: 0 }
}

function ready({ card, origin }: Pick<ModelEntry, 'card' | 'origin'>, version: ModelVersion): ModelEntry {
  return { card, origin, state: 'ready', lastVersion: version.number, version }
}

/** The entry without tables. */
function without({ card, origin, lastVersion }: ModelEntry): Omit<ModelEntry, 'state'> {
  return { card, origin, lastVersion }
}

/** What becomes of a model whose tables could not be made: where there was no room, there may be later. */
function notLoaded(entry: ModelEntry, error: unknown): ModelEntry {
  if (error instanceof InletError && error.code === 'insufficient_memory') {
    return { ...without(entry), state: 'unloaded' }
  }
  return { ...without(entry), state: 'failed', error: asFailure(error) }
}

function asFailure(error: unknown): NonNullable<ModelEntry['error']> {
  if (error instanceof InletError) return { code: error.code, message: error.message }
  return { code: 'model_failed', message: (error as Error).message }
}

function secondsNow(): number {
  return Math.floor(Date.now() / 1000)
}
