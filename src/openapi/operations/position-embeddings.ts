import { positionQuery } from '../../wire/schemas/position-query.js'
import { TENSOR_HEADERS } from '../headers.js'
import { jsonAnswer, type Operation } from '../operation.js'
import { queryParameters } from '../parameters.js'
import { LEASE_ERRORS } from './error-lists.js'
import { BINARY_TENSORS } from './media.js'

const model = 'default'

export const positionEmbeddings: Operation = {
  id: 'getPositionEmbeddings',
  method: 'get',
  path: '/v1/models/{model}/position-embeddings',
  tag: 'Embeddings',
  summary: 'The tensors of a position scheme alone',
  description:
    'What a scheme gives for T = `context_length` positions from `position_offset` on. Options of the scheme ' +
    'are written with dots: `position_embedding=rope&position_embedding.head_dim=8`.',
  parameters: [
    'model_path',
    ...Object.keys(queryParameters(positionQuery)).map((name) =>
      name === 'context_length' ? `${name}_needed` : name,
    ),
  ],
  answer: jsonAnswer(
    'PositionEmbeddingsAnswer',
    'The tensors asked for. npy and octet-stream carry exactly one.',
    ['Content-Length', ...TENSOR_HEADERS],
    BINARY_TENSORS,
  ),
  errors: [
    ...(['invalid_request', 'not_acceptable', ...LEASE_ERRORS] as const),
    ...(['response_too_large', 'context_too_long', 'unsupported_combination'] as const),
  ],
  examples: [
    {
      name: 'rope',
      summary: 'Rotary tables of four positions',
      parameters: {
        model,
        context_length: '4',
        position_embedding: 'rope',
        'position_embedding.head_dim': '8',
      },
    },
    {
      name: 'alibi',
      summary: 'ALiBi of two heads, with −∞ in the future',
      parameters: {
        model,
        context_length: '4',
        position_embedding: 'alibi',
        'position_embedding.num_heads': '2',
      },
    },
    {
      name: 'model_not_found',
      summary: 'A model that is not there',
      parameters: { model: 'gpt-5', context_length: '4' },
    },
    {
      name: 'context_too_long',
      summary: 'More positions than the table has rows',
      parameters: { model, context_length: '1025' },
    },
    {
      name: 'unsupported_combination',
      summary: 'A scheme without tensors',
      parameters: { model, context_length: '4', position_embedding: 'none' },
    },
  ],
}
