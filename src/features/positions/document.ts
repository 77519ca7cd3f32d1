import { object } from '../../service/document/components.js'
import { LEASE_ERRORS, type Operations } from '../../service/document/operation.js'
import { answeredBy, tensorAnswer, tensorFields } from '../../service/document/tensors.js'

export { default as examples } from './examples.json' with { type: 'json' }
export const tag = 'Embeddings'

const positionEmbeddingsAnswer = object('PositionEmbeddingsAnswer', { ...answeredBy, ...tensorFields })

export const operations: Operations = {
  getPositionEmbeddings: {
    summary: 'The tensors of a position scheme alone',
    description:
      'What a scheme gives for T = `context_length` positions from `position_offset` on. Options of the scheme are written with dots: `position_embedding=rope&position_embedding.head_dim=8`.',
    answers: { 200: tensorAnswer(positionEmbeddingsAnswer) },
    errors: [LEASE_ERRORS, 'response_too_large', 'context_too_long', 'unsupported_combination'],
  },
}
