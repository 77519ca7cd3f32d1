import type { ErrorCode } from '../errors.js'
import type { SharedTables } from '../first-layer/embeddings/table-memory.js'
import type { ModelState } from '../wire/schemas/model-states.js'
import type { ModelCard } from './model-card.js'

/** Who put a model into the library, and hence who may take it out. */
export type Origin = 'environment' | 'folder' | 'request'

/** One set of tables of a model. */
export interface ModelVersion {
  /** 1 for the first set, one more for each new set. */
  readonly number: number
  readonly tables: SharedTables
  /** Unix time in seconds. */
  readonly created: number
  /** SHA-256 of the file that brought the tables, in hex; absent where the card's source made them. */
  readonly sha256?: string
}

/** What every thread knows of a model. Can be posted. */
export interface ModelEntry {
  readonly card: ModelCard
  readonly origin: Origin
  readonly state: ModelState
  /** The number of the last version, 0 before the first. Loading the model again counts on from it. */
  readonly lastVersion: number
  /** Present if `state` is `ready`. */
  readonly version?: ModelVersion
  /** The model's card could not be read: of the whole entry only the id is known. */
  readonly isUnreadable?: boolean
  /** Present if `state` is `failed`. */
  readonly error?: { readonly code: ErrorCode; readonly message: string }
}
