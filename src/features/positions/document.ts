import { object } from '../../service/document/components.js'
import { LEASE_ERRORS, type Operations } from '../../service/document/operation.js'
import { answeredBy, tensorAnswer, tensorFields } from '../../service/document/tensors.js'

export const tag = 'Embeddings'

const positionEmbeddingsAnswer = object('PositionEmbeddingsAnswer', { ...answeredBy, ...tensorFields })

export const operations: Operations = {
  getPositionEmbeddings: {
    summary: 'The tensors of a position scheme alone',
    description:
      'What a scheme gives for T = `context_length` positions from `position_offset` on. Options of the scheme are written with dots: `position_embedding=rope&position_embedding.head_dim=8`.',
    answers: { 200: tensorAnswer(positionEmbeddingsAnswer) },
    errors: [
      ...(['invalid_request', ...LEASE_ERRORS] as const),
      ...(['response_too_large', 'context_too_long', 'unsupported_combination'] as const),
    ],
    examples: {
      rope: {
        summary: 'Rotary tables of four positions',
        parameters: {
          ...{ model: 'default', context_length: 4 },
          ...{ position_embedding: 'rope', 'position_embedding.head_dim': 8 },
        },
      },
      alibi: {
        summary: 'The slopes of two heads',
        parameters: {
          ...{ model: 'default', context_length: 4, outputs: ['alibi_slopes'] },
          ...{ position_embedding: 'alibi', 'position_embedding.num_heads': 2 },
        },
        answer: {
          ...{ model: 'default', model_version: '1' },
          outputs: { alibi_slopes: { dtype: 'float32', shape: [2], data: [0.0625, 0.00390625] } },
        },
      },
    },
  },
}
