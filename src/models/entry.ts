import { CARD_DEFAULTS } from '../first-layer/cards/card-json.js'
import type { ModelCard } from '../first-layer/cards/model-card.js'
import { seedCard } from '../first-layer/cards/seed-card.js'
import { bytesOfAll, type SharedTables } from '../first-layer/embeddings/table-memory.js'
import { type ErrorCode, InletError } from '../first-layer/errors.js'

/** Whether a model's tables are there. */
export const MODEL_STATES = ['ready', 'loading', 'unloaded', 'failed'] as const
type ModelState = (typeof MODEL_STATES)[number]

/** The origin of a model; only one made by a request may be deleted. */
export type Origin = 'environment' | 'folder' | 'request'

export interface ModelVersion {
  /** 1 for the first set, one more for each new set. */
  readonly number: number
  readonly tables: SharedTables
  /** Unix time in seconds. */
  readonly created: number
  /** SHA-256 of the uploaded file, in hex; absent if the card's source made the tables. */
  readonly sha256?: string
  /** The origin of tables that neither the card's source nor an upload has given. */
  readonly madeBy?: string
}

/** A model as every thread knows it. Can be posted. Never changed in place: threads hold the entry before. */
export interface ModelEntry {
  readonly card: ModelCard
  readonly origin: Origin
  readonly state: ModelState
  /** The number of the last version, 0 before the first. Loading the model again counts on from it. */
  readonly lastVersion: number
  /** Present if `state` is `ready`. */
  readonly version?: ModelVersion
  /** Whether the tables have an owner, which alone changes them. */
  readonly isOwned?: boolean | undefined
  /** Whether the card could not be read: only its id is valid, and the model has failed. */
  readonly hasNoCard?: boolean
  /** Present if there is no card: the folder, as the configuration names it. For the log alone. */
  readonly folder?: string
  /** Whether it has failed because rows could not be read that it served. */
  readonly isUnreadable?: boolean
  /** Present if `state` is `failed`. */
  readonly error?: { readonly code: ErrorCode; readonly message: string }
}

export function heldBytes({ version }: Pick<ModelEntry, 'version'>): number {
  return version === undefined ? 0 : bytesOfAll(version.tables.places)
}

export function unloaded(card: ModelCard, origin: Origin): ModelEntry {
  return { card, origin, state: 'unloaded', lastVersion: 0 }
}

/** The entry of a model whose card cannot be read. */
export function withoutCard(
  id: string,
  message: string,
  more: { readonly origin: Origin; readonly folder?: string },
): ModelEntry {
  const card = seedCard(id, CARD_DEFAULTS)
  const error = { code: 'model_failed', message } as const
  return { ...unloaded(card, more.origin), ...more, hasNoCard: true, state: 'failed', error }
}

/** The entry with a new version of its tables. @param from where they are not from the card's source */
export function loaded(
  { card, origin, lastVersion }: Pick<ModelEntry, 'card' | 'origin' | 'lastVersion'>,
  tables: SharedTables,
  from: Pick<ModelVersion, 'sha256' | 'madeBy'> = {},
): ModelEntry {
  const number = lastVersion + 1
  const version = { number, tables, created: Math.floor(Date.now() / 1000), ...from }
  return { card, origin, state: 'ready', lastVersion: number, version }
}

/** The entry without tables; its state is to be added. */
export function withoutTables({ card, origin, lastVersion }: ModelEntry): Omit<ModelEntry, 'state'> {
  return { card, origin, lastVersion }
}

/** The entry after a load that failed: `unloaded` if there was no room, which there may be later. */
export function notLoaded(entry: ModelEntry, error: unknown): ModelEntry {
  const known = error instanceof InletError ? error : undefined
  if (known?.code === 'insufficient_memory') return { ...withoutTables(entry), state: 'unloaded' }
  const { message: text, syscall, code } = error as NodeJS.ErrnoException
  const message = syscall === undefined ? text : `a file cannot be read (${code})` // its message has the path
  return { ...withoutTables(entry), state: 'failed', error: { code: known?.code ?? 'model_failed', message } }
}
