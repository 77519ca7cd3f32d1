import type { LearnableName } from '../../first-layer/learning/gradient-call.js'
import type { Part } from '../../first-layer/learning/parts.js'

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

/** What `GET /v1/models/{model}` says of learning. */
export interface LearningState {
  readonly optimizer: Readonly<Record<string, unknown>>
  readonly step: number
  readonly pending: number
  readonly state_bytes: number
  /** The last number of each writer. */
  readonly writers: Readonly<Record<string, number>>
}

/** How far a model was at its last checkpoint on the disk. */
export interface CheckpointMark {
  readonly step: number
  readonly model_version: string
  readonly writers: Readonly<Record<string, number>>
}

/** Gradients or a step. */
export interface LearningCall {
  readonly kind: 'gradients' | 'step'
  readonly writer: string
  /** From 1, one up with each call of this writer. */
  readonly sequence: number
  /** Of the content, in hex: the same content has the same one. */
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

/** Memory for a file on its way, shared by all threads, until `letGo`. */
export interface HeldFile {
  readonly held: number
  readonly bytes: Uint8Array<SharedArrayBuffer>
  /** The version of the tables in a checkpoint. */
  readonly version: number
}

/**
 * Learning in the process. The first thread does it (`learning.ts`); the other threads call it by messages
 * (`threads/remote-learning.ts`). All errors are `InletError`s for the caller.
 */
export interface LearningAdmin {
  /**
   * Begins to learn, unless the model does so under the same optimizer.
   *
   * @throws `invalid_request` for the optimizer, `model_not_found`, `optimizer_exists`, `unsupported_combination`,
   *   `insufficient_memory`, what loading throws
   */
  begin(id: string, optimizer: Readonly<Record<string, unknown>>): Promise<Begun>
  /** @throws `model_not_found`, `optimizer_not_found` */
  describe(id: string): Promise<OptimizerAnswer>
  /** Undefined for a model that does not learn. */
  state(id: string): Promise<(LearningState & { readonly checkpoint: CheckpointMark | null }) | undefined>
  /** Ends learning; the tables stay as they are. @throws `model_not_found`, `optimizer_not_found` */
  end(id: string): Promise<void>
  /**
   * Gradients or a step, which have their effect once however often they come.
   *
   * @param ifVersions a step is refused where the present version is none of these; null: any is right
   * @throws `sequence_conflict`, `sequence_gap`, `precondition_failed`, `insufficient_memory`, and as `Learner`
   */
  call(id: string, call: LearningCall, ifVersions: readonly string[] | null): Promise<CallAnswer>
  /**
   * Writes a checkpoint below DATA_DIR.
   *
   * @throws `optimizer_not_found`, `insufficient_storage`, `unsupported_combination` without DATA_DIR
   */
  save(id: string): Promise<CheckpointMark & { readonly model: string }>
  /** A checkpoint of this moment. @throws `optimizer_not_found`, `insufficient_memory` */
  openCheckpoint(id: string): Promise<HeldFile>
  /** Memory for a checkpoint that is on its way. @throws `model_not_found`, `insufficient_memory`, `overloaded` */
  openRestore(id: string, bytes: number): Promise<HeldFile>
  /** The model goes on from the checkpoint that came. @throws `invalid_request`, `shape_mismatch`, `insufficient_memory` */
  restore(id: string, held: number): Promise<Begun>
  /** Frees the memory of a checkpoint. */
  letGo(held: number): Promise<void>
}

/** An optimizer, and whether it was not there before. */
export interface Begun {
  readonly optimizer: OptimizerAnswer
  readonly made: boolean
}

/** The tables that can learn, by name. */
export type ByTable<Value> = Readonly<Partial<Record<LearnableName, Value>>>
