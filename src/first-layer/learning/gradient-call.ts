import type { ModelSpec } from '../embeddings/model.js'
import { InletError } from '../errors.js'
import type { FloatDtype } from '../tensors/named-tensor.js'

/** Gradients as they came: rows of C numbers, little-endian, at any address. */
export interface GradientRows {
  readonly bytes: Uint8Array
  readonly dtype: FloatDtype
}

/** Gradients of `input_embeddings` [B, T, C]: of token rows plus position rows. */
export interface EmbeddingGradients {
  readonly shape: readonly [batch: number, length: number]
  /** [B, T, C] */
  readonly gradients: GradientRows
  /** [B, T] */
  readonly input_ids: Int32Array
  /** [B, T]. Absent: `position_offset` and on, broadcast over B. */
  readonly position_ids?: Int32Array | undefined
  readonly position_offset?: number | undefined
  /** [B, T]: 0 adds nothing. */
  readonly attention_mask?: Int32Array | undefined
}

/** Gradients [N, C] of rows themselves, made by the trainer's own backward, and the ids [N] of the rows. */
export interface RowGradients {
  readonly token_gradients?: GradientRows | undefined
  readonly token_ids?: Int32Array | undefined
  readonly position_gradients?: GradientRows | undefined
  readonly position_ids?: Int32Array | undefined
}

export type GradientCall = EmbeddingGradients | RowGradients

export const TOKEN_TABLE = 'wte.weight'
export const POSITION_TABLE = 'wpe.weight'
export type LearnableName = typeof TOKEN_TABLE | typeof POSITION_TABLE

/**
 * Checks that the gradient of `input_embeddings` is that of token rows and position rows: a first layer that only
 * adds them.
 *
 * @throws InletError `unsupported_combination`, with what to send instead
 */
export function checkEmbeddingGradients({ id, architecture }: Pick<ModelSpec, 'id' | 'architecture'>): void {
  const { steps, positionIndex } = architecture
  const more = steps.filter((step) => step !== 'positions')
  if (more.length === 0 && positionIndex === undefined) return
  const why = more.length > 0 ? `${more.join(', ')} between rows and block` : 'positions that depend on pads'
  const message = `\`gradients\` must not be sent for ${id}, which has ${why}: send \`token_gradients\` and \`position_gradients\``
  throw new InletError('unsupported_combination', message, 'gradients')
}

/** @throws InletError `unsupported_combination` for tables of 16 bits */
export function checkLearnable({ id, dtype }: Pick<ModelSpec, 'id' | 'dtype'>): void {
  if (dtype === 'float32') return
  const message = `${id} must have float32 tables to learn: make a model of them in float32. Given: ${dtype}`
  throw new InletError('unsupported_combination', message, 'model')
}
