import { bytesOfAll, type SharedTables, sameShape, type TableShape } from '../embeddings/table-memory.js'
import { InletError } from '../errors.js'
import type { ModelCard } from '../model-card.js'
import { equalCards } from './card.js'
import type { ModelEntry, ModelVersion, Origin } from './entry.js'
import type { Maker } from './maker.js'
import { Memories } from './memories.js'
import { modelExists, modelNotFound, preconditionFailed, shapeMismatch, tooLarge } from './model-errors.js'
import { parametersOf, schemeParametersOf } from './parameters.js'
import type { Threads } from './threads.js'

/** What an upload brings. */
export interface UploadPlan {
  readonly id: string
  /** The card of a model that the upload makes; absent: it exchanges tables of one that is there. */
  readonly card?: ModelCard
  readonly tables: readonly TableShape[]
  /** The version that the caller has seen: the exchange is refused where there is another by now. */
  readonly ifVersion?: number
}

/** Memory that an upload fills: tables under the upload's own names. */
export interface OpenUpload {
  readonly upload: number
  readonly tables: SharedTables
}

interface Kept {
  entry: ModelEntry
  readonly memories: Memories
  /** What is being done to it: one thing after the other. */
  busy: Promise<unknown>
  /** Tables that did not come from the card's source: nobody could make them again. */
  exchanged: boolean
  lastUsed: number
}

interface Upload {
  readonly plan: UploadPlan
  readonly tables: SharedTables
  readonly thread: number
}

export interface KeeperLimits {
  /** Bytes of all tables together. */
  readonly maxTableBytes: number
}

/**
 * Keeps the models of the process: makes, exchanges, unloads and drops them, and tells every thread. It runs in the
 * first thread; whatever takes long is the maker's.
 */
export class Keeper {
  readonly #models = new Map<string, Kept>()
  readonly #uploads = new Map<number, Upload>()
  #nextUpload = 1
  #uses = 0

  constructor(
    private readonly threads: Threads,
    private readonly maker: Maker,
    private readonly limits: KeeperLimits,
    private readonly progress: (id: string, share: number) => void = () => {},
  ) {}

  /** Every model: what a thread that is born later has to be told. */
  entries(): readonly ModelEntry[] {
    return [...this.#models.values()].map(({ entry }) => entry)
  }

  /** Adds a model without loading it, or one that cannot be loaded. */
  async add(entry: ModelEntry): Promise<void> {
    this.#models.set(entry.card.id, this.#kept(entry))
    await this.threads.put(entry)
  }

  /**
   * Makes a model from its card, unless the same is there already.
   *
   * @throws InletError `model_exists`, `insufficient_memory`
   */
  async make(card: ModelCard, origin: Origin): Promise<{ entry: ModelEntry; made: boolean }> {
    const there = this.#models.get(card.id)
    if (there !== undefined) {
      if (!equalCards(there.entry.card, card)) throw modelExists(card.id)
      await there.busy.catch(() => {})
      return { entry: there.entry, made: false }
    }
    await this.add({ card, origin, state: 'unloaded', lastVersion: 0 })
    try {
      return { entry: await this.load(card.id), made: true }
    } catch (error) {
      if (origin === 'request') await this.#forget(card.id) // nothing is left half done
      throw error
    }
  }

  /**
   * Makes the tables of a model that has none; one that is ready stays as it is.
   *
   * @throws InletError `model_not_found`, `insufficient_memory`, `model_failed`
   */
  load(id: string): Promise<ModelEntry> {
    return this.#inTurn(id, async (kept) => {
      if (kept.entry.version !== undefined) return kept.entry
      const { card, lastVersion } = kept.entry
      try {
        const layout = parametersOf(card)
        this.#makeRoom(bytesOfAll(layout), id)
        await this.#tell(kept, { ...this.#bare(kept), state: 'loading' })
        const tables = kept.memories.take(layout)
        await this.maker.fill(card, tables, (share) => this.progress(id, share))
        await this.#tell(kept, ready(kept.entry, { number: lastVersion + 1, tables, created: secondsNow() }))
        return kept.entry
      } catch (error) {
        const { code, message } = asInletError(error)
        await this.#tell(kept, { ...this.#bare(kept), state: 'failed', error: { code, message } })
        throw error
      }
    })
  }

  /** Lets a model's tables go; requests that run on them finish. @throws InletError `model_not_found` */
  unload(id: string): Promise<ModelEntry> {
    return this.#inTurn(id, async (kept) => {
      await this.#unload(kept)
      return kept.entry
    })
  }

  /** Takes a model out of the library. @throws InletError `model_not_found` */
  async remove(id: string): Promise<void> {
    await this.#inTurn(id, () => this.#forget(id))
  }

  /**
   * Sets memory aside for an upload. Nothing of the model changes before it is committed.
   *
   * @param thread whose request brings it: when the thread ends, its uploads are given up
   * @throws InletError `model_not_found`, `model_exists`, `precondition_failed`, `shape_mismatch`, `insufficient_memory`
   */
  openUpload(plan: UploadPlan, thread: number): OpenUpload {
    const { id, card, tables } = plan
    const kept = this.#models.get(id)
    if (card !== undefined && kept !== undefined) throw modelExists(id)
    if (card === undefined) this.#checkExchange(plan)
    const target = card ?? (kept as Kept).entry.card
    checkShapes(tables, [...parametersOf(target), ...schemeParametersOf(target)])
    if (card !== undefined) checkComplete(tables, card)
    const layout = card === undefined ? exchangedLayout(kept as Kept, tables) : tables
    this.#makeRoom(bytesOfAll(layout), id)
    const memories = kept?.memories ?? new Memories(target.embeddingDim, this.threads.count)
    const upload = this.#nextUpload++
    const memory = memories.take(layout)
    this.#uploads.set(upload, { plan, tables: memory, thread })
    return { upload, tables: memory }
  }

  /**
   * Puts an upload's tables in the place of the model's, at once for every request that begins from now on.
   *
   * @param sha256 of the file that was uploaded, in hex
   * @throws InletError `precondition_failed`, `model_not_found` where the model has changed meanwhile
   */
  async commitUpload(id: number, sha256: string): Promise<ModelEntry> {
    const { plan, tables } = this.#take(id)
    if (plan.card !== undefined) return this.#commitMade(plan.card, tables, sha256)
    return this.#inTurn(plan.id, async (kept) => {
      try {
        const { version } = this.#checkExchange(plan)
        const brought = new Set(plan.tables.map(({ name }) => name))
        const others = version.tables.places.map(({ name }) => name).filter((name) => !brought.has(name))
        if (others.length > 0) await this.maker.copy(version.tables, tables, others)
      } catch (error) {
        kept.memories.give(tables)
        throw error
      }
      kept.exchanged = true
      const number = kept.entry.lastVersion + 1
      await this.#tell(kept, ready(kept.entry, { number, tables, created: secondsNow(), sha256 }))
      return kept.entry
    })
  }

  /** Gives an upload up: nothing of it stays. */
  abandonUpload(id: number): void {
    const upload = this.#uploads.get(id)
    if (upload === undefined) return
    this.#uploads.delete(id)
    this.#models.get(upload.plan.id)?.memories.give(upload.tables)
  }

  /** A thread has ended: nobody finishes what it had begun. */
  threadEnded(thread: number): void {
    for (const [id, upload] of this.#uploads) if (upload.thread === thread) this.abandonUpload(id)
  }

  /** Notes that these models were used, for the choice of the one that goes first. */
  noteUse(ids: readonly string[]): void {
    this.#uses++
    for (const id of ids) {
      const kept = this.#models.get(id)
      if (kept !== undefined) kept.lastUsed = this.#uses
    }
  }

  #commitMade(card: ModelCard, tables: SharedTables, sha256: string): Promise<ModelEntry> {
    if (this.#models.has(card.id)) throw modelExists(card.id)
    const version = { number: 1, tables, created: secondsNow(), sha256 }
    const entry: ModelEntry = { card, origin: 'request', state: 'ready', lastVersion: 1, version }
    const kept = { ...this.#kept(entry), exchanged: true }
    this.#models.set(card.id, kept)
    return this.threads.put(entry).then(() => entry)
  }

  /** @throws InletError `model_not_found`, `precondition_failed` */
  #checkExchange({ id, ifVersion }: UploadPlan): { version: ModelVersion } {
    const { entry } = this.#get(id)
    const { version } = entry
    if (version === undefined) throw modelNotFound(id, 'has no tables that could be exchanged')
    if (ifVersion !== undefined && ifVersion !== version.number) {
      throw preconditionFailed(id, ifVersion, version.number)
    }
    return { version }
  }

  /** One after the other for each model. */
  #inTurn<Result>(id: string, work: (kept: Kept) => Promise<Result>): Promise<Result> {
    const kept = this.#get(id)
    const result = kept.busy.then(
      () => work(this.#get(id)),
      () => work(this.#get(id)),
    )
    kept.busy = result.catch(() => {})
    return result
  }

  async #unload(kept: Kept): Promise<void> {
    kept.memories.clear()
    kept.exchanged = false
    await this.#tell(kept, { ...this.#bare(kept), state: 'unloaded' })
    kept.memories.clear()
  }

  async #forget(id: string): Promise<void> {
    this.#models.delete(id)
    await this.threads.drop(id)
  }

  /** Tells every thread; the memory that is superseded waits for the next exchange when nobody reads it. */
  async #tell(kept: Kept, entry: ModelEntry): Promise<void> {
    const before = kept.entry.version
    kept.entry = entry
    const { drained } = await this.threads.put(entry)
    if (before === undefined || before === entry.version) return
    drained.then(() => {
      if (kept.entry.version !== undefined) kept.memories.give(before.tables)
    })
  }

  /** Unloads the models used least recently until there is room. @throws InletError `insufficient_memory` */
  #makeRoom(bytes: number, forModel: string): void {
    const { maxTableBytes } = this.limits
    const loaded = [...this.#models.values()].filter(({ entry }) => entry.version !== undefined)
    let held = 0
    for (const { entry } of loaded) if (entry.card.id !== forModel) held += heldBytes(entry)
    const oldest = loaded
      .filter(({ entry, exchanged }) => !exchanged && entry.card.id !== forModel)
      .sort((a, b) => a.lastUsed - b.lastUsed)
    const goes: Kept[] = []
    for (const kept of oldest) {
      if (held + bytes <= maxTableBytes) break
      goes.push(kept)
      held -= heldBytes(kept.entry)
    }
    if (held + bytes > maxTableBytes) throw tooLarge(held + bytes, maxTableBytes)
    for (const kept of goes) void this.unload(kept.entry.card.id)
  }

  #kept(entry: ModelEntry): Kept {
    return {
      entry,
      memories: new Memories(entry.card.embeddingDim, this.threads.count),
      busy: Promise.resolve(),
      exchanged: false,
      lastUsed: this.#uses,
    }
  }

  #get(id: string): Kept {
    const kept = this.#models.get(id)
    if (kept === undefined) throw modelNotFound(id)
    return kept
  }

  #take(id: number): Upload {
    const upload = this.#uploads.get(id)
    if (upload === undefined) throw new Error(`there is no upload ${id}`)
    this.#uploads.delete(id)
    return upload
  }

  /** The entry without tables. */
  #bare({ entry: { card, origin, lastVersion } }: Kept): Omit<ModelEntry, 'state'> {
    return { card, origin, lastVersion }
  }
}

function ready({ card, origin }: ModelEntry, version: ModelVersion): ModelEntry {
  return { card, origin, state: 'ready', lastVersion: version.number, version }
}

function heldBytes({ version }: ModelEntry): number {
  return version === undefined ? 0 : bytesOfAll(version.tables.places)
}

/** The layout of the present version, with what an upload brings for the first time. */
function exchangedLayout({ entry }: Kept, tables: readonly TableShape[]): readonly TableShape[] {
  const present = (entry.version as ModelVersion).tables.places
  return [...present, ...tables.filter(({ name }) => !present.some((place) => place.name === name))]
}

/** @throws InletError `shape_mismatch` */
function checkShapes(given: readonly TableShape[], known: readonly TableShape[]): void {
  for (const table of given) {
    const expected = known.find(({ name }) => name === table.name)
    if (expected === undefined || !sameShape(table, expected)) throw shapeMismatch(table, expected, known)
  }
}

/** A model that an upload makes has every table that a seed would draw. @throws InletError `shape_mismatch` */
function checkComplete(given: readonly TableShape[], card: ModelCard): void {
  for (const parameter of parametersOf(card)) {
    if (given.some(({ name }) => name === parameter.name)) continue
    throw shapeMismatch(undefined, parameter, [])
  }
}

function asInletError(error: unknown): { code: InletError['code']; message: string } {
  if (error instanceof InletError) return error
  return { code: 'model_failed', message: (error as Error).message }
}

function secondsNow(): number {
  return Math.floor(Date.now() / 1000)
}
