import type { ModelCard } from '../../first-layer/cards/model-card.js'
import type { SharedTables, TableShape } from '../../first-layer/embeddings/table-memory.js'
import type { CallAnswer, LearningState } from './admin.js'

/** Tables that nobody reads, which readers get after a step. */
export interface ServingCopy {
  readonly tables: SharedTables
  /** The learner's `now` when they were up to date; undefined: they are new. */
  readonly since: number | undefined
}

/** How far a model has learned. */
export interface LearnerFacts {
  readonly state: LearningState
  /** The version of the tables that the learner has. */
  readonly version: number
  /** Steps since learning began here. */
  readonly now: number
  /** Bytes of the learner's memory. */
  readonly bytes: { readonly tables: number; readonly states: number; readonly gradients: number }
}

export interface BeginJob {
  readonly card: ModelCard
  readonly optimizer: Readonly<Record<string, unknown>>
  /** The tables that readers have now. */
  readonly present: SharedTables
  readonly version: number
  /** The second copy of them, to be filled. */
  readonly copy: SharedTables
}

export interface CallJob {
  /** Versions one of which the tables must have; null: any. */
  readonly ifVersions: readonly string[] | null
  /** Bytes that gradients may take more. */
  readonly gradientRoom: number
  readonly present: SharedTables
  /** Of a step. */
  readonly copy?: ServingCopy | undefined
}

export interface CallResult {
  readonly answer: CallAnswer
  /** False: the call had its effect before. */
  readonly isNew: boolean
  readonly facts: LearnerFacts
}

/** A model that goes on from its checkpoint on the disk. */
export interface ReopenedModel {
  readonly facts: LearnerFacts
  /** The model's tables. */
  readonly layout: readonly TableShape[]
}

export interface RestoreJob {
  readonly card: ModelCard
  readonly file: Uint8Array
  readonly present: SharedTables
  /** The version that the tables will be. */
  readonly version: number
  /** Gets the tables. */
  readonly copy: SharedTables
}
