import type { z } from 'zod'
import { architectures, takesTokenTypes } from '../../first-layer/embeddings/architectures/registry.js'
import { COUNT_HEADERS, type CountName } from '../../service/answer/counts.js'
import { component, object } from '../../service/document/components.js'
import { count } from '../../service/document/fields.js'
import { BATCH_ERRORS, type Operations, ROWS_ERRORS } from '../../service/document/operation.js'
import { answeredBy, tensorAnswer, tensorFields } from '../../service/document/tensors.js'
import { embeddingRequest } from '../../service/request/fields/embedding-request.js'

export const tag = 'Embeddings'

// Words give the rules between the fields of a request: few generators take them as JSON Schema.
const tokenTypes = architectures.filter(takesTokenTypes).map(({ name }) => `\`${name}\``)
component(
  'InputEmbeddingsRequest',
  embeddingRequest,
  `One of \`text\` and \`input_ids\` is given. \`stride\` and \`tail\` need \`context_length\`; \`batch_index\` and a true \`drop_last\` need \`batch_size\`; a true \`shuffle\` needs \`seed\`; \`token_type_ids\` need \`input_ids\`, and an architecture that has token types (${tokenTypes.join(', ')}).`,
)

const counts = {
  num_tokens: count('Tokens of the request, before batching.'),
  num_characters: count('Unicode code points of the request’s text; there where it brought text.').optional(),
  num_windows: count('Windows of the request, before batching.'),
  num_dropped_tokens: count('Tokens that no window holds, neither as input nor as target.'),
  num_truncated_tokens: count('Tokens that `truncation` cuts off; there where it is true.').optional(),
  num_batches: count('There where `batch_size` is.').optional(),
  num_dropped_windows: count('Windows that `drop_last` leaves out; there where `batch_size` is.').optional(),
} satisfies Record<CountName, z.ZodType>

const inputEmbeddingsAnswer = object('InputEmbeddingsAnswer', { ...answeredBy, ...counts, ...tensorFields })

const TEXT = 'In the heart of the city stood the old library'
const rows = (...data: number[][]) => ({ dtype: 'int32', shape: [data.length, data[0].length], data })

export const operations: Operations = {
  createInputEmbeddings: {
    summary: 'Text or ids in, input embeddings out',
    description:
      'Text → token ids → windows → token rows (+ position rows). The fields stand in the JSON body or, beside raw text, in the query string; beside a JSON body the query string may have defaults alone. Fields without effect are accepted. The answer’s form is chosen by `Accept`.',
    body: {
      'text/plain': { type: 'string', minLength: 1, description: 'One document, UTF-8, read as it arrives.' },
    },
    answers: { 200: tensorAnswer(inputEmbeddingsAnswer, ['Server-Timing', ...Object.values(COUNT_HEADERS)]) },
    errors: [...ROWS_ERRORS, ...BATCH_ERRORS],
    examples: {
      windows: {
        summary: 'Windows of four tokens and their targets',
        body: { text: TEXT, context_length: 4, stride: 4, outputs: ['input_ids', 'target_ids'] },
        answer: {
          ...{
            model: 'default',
            model_version: '1',
            num_tokens: 10,
            num_characters: 46,
            num_windows: 2,
            num_dropped_tokens: 1,
          },
          outputs: {
            input_ids: rows([818, 262, 2612, 286], [262, 1748, 6204, 262]),
            target_ids: rows([262, 2612, 286, 262], [1748, 6204, 262, 1468]),
          },
        },
      },
      shuffled_batch: {
        summary: 'The second batch of a shuffled PyTorch DataLoader',
        body: {
          ...{ text: TEXT, context_length: 4, stride: 1, batch_size: 2, batch_index: 1 },
          ...{ shuffle: true, seed: 123, drop_last: true, outputs: ['input_ids', 'window_starts'] },
        },
      },
      padded_tail: {
        summary: 'Ids as given, windows over all of them',
        body: { input_ids: [15496, 11, 995, 0, 50256, 10248], context_length: 4, tail: 'pad' },
      },
      rope: {
        summary: 'Rotary tables beside the ids',
        body: {
          ...{ text: 'Hello', position_embedding: { type: 'rope', head_dim: 8 }, position_offset: 2 },
          outputs: ['input_ids', 'inv_freq', 'cos', 'sin'],
        },
      },
      raw_text: {
        summary: 'Raw text, with the fields in the query string',
        parameters: { context_length: 4, stride: 2, outputs: ['input_ids', 'window_starts'] },
        ...{ body: TEXT, mediaType: 'text/plain' },
      },
    },
  },
}
