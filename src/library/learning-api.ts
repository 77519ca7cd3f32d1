import type { EmbeddingGradients, LearnerStepOptions, RowGradients } from './options.js'

/** An optimizer by its `type`, with the options, defaults and meaning of `torch.optim`'s. */
export interface OptimizerOptions {
  readonly type: 'sgd' | 'adagrad' | 'adam' | 'adamw' | 'sparse_adam'
  readonly lr?: number
  readonly momentum?: number
  readonly dampening?: number
  readonly nesterov?: boolean
  readonly weight_decay?: number
  readonly lr_decay?: number
  readonly initial_accumulator_value?: number
  readonly eps?: number
  readonly betas?: readonly [number, number]
  readonly amsgrad?: boolean
  /** Default: those of the two that the model has. */
  readonly tables?: readonly ('wte.weight' | 'wpe.weight')[]
  /** The only rows of `wte.weight` that move. Default: all. */
  readonly rows?: Int32Array | readonly number[]
}

/** A number for each table that learns, by its name. */
type ByTable = Readonly<Record<string, number>>

/** Gradients since the last step. */
export interface PendingGradients {
  /** Rows that have a gradient. */
  readonly rows: ByTable
  /** Norms of the accumulated gradients: square roots of float64 sums of squares. */
  readonly grad_norms: ByTable
  /** Calls. */
  readonly pending: number
}

export interface LearnerStep {
  /** The number of the step, from 1. */
  readonly step: number
  /** Rows of which a bit has changed. */
  readonly rows_updated: ByTable
  /** Norms of new − old. */
  readonly update_norms: ByTable
}

/** A model's tables under an optimizer, as `torch.optim` moves them, to the bit. Calls run one after the other. */
export interface ModelLearner {
  /** Steps so far. */
  readonly steps: number
  /** Bytes of the optimizer's states; the learner has a copy of the tables beside them. */
  readonly stateBytes: number
  /**
   * `loss.backward()`: adds gradients to those since the last step.
   *
   * @throws InletError `invalid_request`, `token_out_of_range`, `context_too_long`, `not_finite`,
   *   `unsupported_combination`; nothing is added then
   */
  gradients(given: EmbeddingGradients | RowGradients): PendingGradients
  /**
   * `optimizer.step(); optimizer.zero_grad()`. Embeddings that are made after it see the new rows; tensors of earlier ones
   * whose elements have not been read do so too.
   *
   * @throws InletError `nothing_pending`, `invalid_request`
   */
  step(options?: LearnerStepOptions): LearnerStep
  /**
   * Tables, states and pending gradients as one safetensors file: `FirstLayerModel.resume` continues from it, to the
   * bit.
   */
  checkpoint(): Uint8Array
}
