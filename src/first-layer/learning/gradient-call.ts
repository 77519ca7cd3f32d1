import { z } from 'zod'
import type { ModelSpec } from '../embeddings/model.js'
import { InletError } from '../errors.js'
import type { FloatDtype } from '../tensors/named-tensor.js'

/** Gradients as they came: rows of C numbers, little-endian, at any address. */
export interface GradientRows {
  readonly bytes: Uint8Array
  readonly dtype: FloatDtype
}

const floats = z
  .custom<Float32Array>((given) => given instanceof Float32Array, 'must be a Float32Array')
  .transform(({ buffer, byteOffset, byteLength }): GradientRows => {
    return { bytes: new Uint8Array(buffer, byteOffset, byteLength), dtype: 'float32' }
  })

/** Ids, positions or a mask. */
const integers = z
  .custom<Int32Array | readonly number[]>(
    (given) => given instanceof Int32Array || Array.isArray(given),
    'must be an Int32Array or an array of integers',
  )
  .superRefine((given, context) => {
    const wrong = given.findIndex((number) => number !== (number | 0))
    if (wrong >= 0)
      context.addIssue({ code: 'custom', path: [wrong], message: 'must be an integer of 32 bits' })
  })
  .transform((given): Int32Array => Int32Array.from(given))

const isSize = (value: unknown) => Number.isSafeInteger(value) && (value as number) >= 1

/** Gradients of `input_embeddings` [B, T, C]: of token rows plus position rows. */
export const embeddingGradients = z.strictObject({
  shape: z
    .custom<readonly [batch: number, length: number]>(
      (given) => Array.isArray(given) && given.length === 2 && given.every(isSize),
      'must be [B, T], both from 1',
    )
    .describe('B and T.'),
  gradients: floats.describe('[B, T, C]'),
  input_ids: integers.describe('[B, T]'),
  position_ids: integers
    .optional()
    .describe(
      '[B, T]. Absent: `position_offset` and on in each row, whose sum over B is PyTorch’s of a broadcast.',
    ),
  position_offset: z.number().optional().describe('Default: 0.'),
  attention_mask: integers.optional().describe('[B, T]: a place with 0 adds nothing.'),
})

/** Gradients [N, C] of rows themselves, made by the trainer's own backward, and the ids [N] of the rows. */
export const rowGradients = z.strictObject({
  token_gradients: floats.optional().describe('[N, C]'),
  token_ids: integers.optional().describe('[N]'),
  position_gradients: floats.optional().describe('[M, C]'),
  position_ids: integers.optional().describe('[M]'),
})

export type EmbeddingGradients = z.output<typeof embeddingGradients>
export type GradientCall = EmbeddingGradients | z.output<typeof rowGradients>

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
