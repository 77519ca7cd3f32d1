import type { ModelCard } from '../../first-layer/cards/model-card.js'
import type { SharedTables, TableShape } from '../../first-layer/embeddings/table-memory.js'
import type { Part } from '../../first-layer/learning/parts.js'

/** The field `learning` of `GET /v1/models/{model}`. */
export interface LearningProgress {
  readonly optimizer: Readonly<Record<string, unknown>>
  readonly step: number
  readonly pending: number
  readonly state_bytes: number
  /** The last number of each writer. */
  readonly writers: Readonly<Record<string, number>>
}

/** How far a trainer is. */
export interface TrainingState {
  readonly progress: LearningProgress
  /** The version of the trainer's tables. */
  readonly version: number
  /** Bytes of the trainer's memory. */
  readonly bytes: TrainerBytes
}

export interface TrainerBytes {
  readonly tables: number
  readonly states: number
  /** Sums of gradients by row, as they came. */
  readonly gradients: number
}

/** Gradients or a step. */
export interface LearningCall {
  readonly kind: 'gradients' | 'step'
  readonly writer: string
  /** From 1, one up with each call of this writer. */
  readonly sequence: number
  /** The content's hash, in hex: the same content has the same one. */
  readonly digest: string
  readonly part?: Part
  /** The query of gradients (`position_offset`), the options of a step. */
  readonly options: Readonly<Record<string, unknown>>
  /** The body of gradients: safetensors as it came. Empty for a step. */
  readonly body: Uint8Array
}

/** The answer to gradients or a step, as it is kept for a call that is sent again. */
export interface CallAnswer {
  readonly model: string
  readonly model_version: string
  readonly [field: string]: unknown
}

/** Unread tables, which readers get after a step. */
export interface ServingCopy {
  readonly tables: SharedTables
  /** The step that they have; undefined: they are new. */
  readonly since: number | undefined
}

/** The data that a trainer begins with. */
export interface BeginJob {
  readonly card: ModelCard
  /** The tables that readers have now. */
  readonly present: SharedTables
  /** The version of the trainer's tables. */
  readonly version: number
}

export interface CallJob {
  /** Versions one of which the tables must have; null: any. */
  readonly ifVersions: readonly string[] | null
  /** Bytes that gradients may take more. */
  readonly gradientRoom: number
  readonly present: SharedTables
  /** Present for a step: the copy that readers get. */
  readonly copy?: ServingCopy | undefined
}

export interface CallResult {
  readonly answer: CallAnswer
  /** False: the call had its effect before. */
  readonly isNew: boolean
  readonly state: TrainingState
}

/** A model that continues from its checkpoint on the disk. */
export interface ReopenedModel {
  readonly state: TrainingState
  /** The model's tables. */
  readonly layout: readonly TableShape[]
}

/** The optimizer of a model: its options, and how far it is. */
export interface OptimizerAnswer {
  readonly model: string
  /** The version of the tables as the last step left them. */
  readonly model_version: string
  readonly step: number
  /** Calls with gradients since the last step. */
  readonly pending: number
  readonly state_bytes: number
  /** `type` and its options, defaults filled in, `tables`, `rows`. */
  readonly [option: string]: unknown
}

/** How far a model was at its last checkpoint on the disk. */
export interface CheckpointMark extends Pick<LearningProgress, 'step' | 'writers'> {
  readonly model_version: string
}
