import type { ModelSpec } from '../embeddings/model.js'
import { InletError } from '../errors.js'

/**
 * Checks that the gradient of `input_embeddings` is that of token rows and position rows: a first layer that does no more
 * than to add them.
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
