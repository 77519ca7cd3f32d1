import type { z } from 'zod'
import { embeddingRequest } from '../../checkpoints/embedding-request.js'
import type { CountName } from '../../first-layer/answer.js'
import { architectures } from '../../first-layer/embeddings/architectures/registry.js'
import { COUNT_HEADERS } from '../../service/answer/counts.js'
import { component, count, object } from '../../service/document/components.js'
import { BATCH_ERRORS, type Operations, ROWS_ERRORS } from '../../service/document/operation.js'
import { answeredBy, tensorAnswer, tensorFields } from '../../service/document/tensors.js'

export { default as examples } from './examples.json' with { type: 'json' }
export const tag = 'Embeddings'

// Words give the rules between the fields of a request: few generators take them as JSON Schema.
const tokenTypes = architectures
  .filter(({ steps }) => steps.includes('types'))
  .map(({ name }) => `\`${name}\``)
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
  num_batches: count('Only if `batch_size` is given.').optional(),
  num_dropped_windows: count('Windows that `drop_last` leaves out; there where `batch_size` is.').optional(),
} satisfies Record<CountName, z.ZodType>

const inputEmbeddingsAnswer = object('InputEmbeddingsAnswer', { ...answeredBy, ...counts, ...tensorFields })

export const operations: Operations = {
  createInputEmbeddings: {
    summary: 'Text or ids in, input embeddings out',
    description:
      'Text → token ids → windows → token rows (+ position rows). The fields stand in the JSON body or, beside raw text, in the query string; beside a JSON body the query string may have defaults alone. Fields without effect are accepted. The answer’s form is chosen by `Accept`.',
    body: {
      'text/plain': { type: 'string', minLength: 1, description: 'One document, UTF-8, read as it arrives.' },
    },
    answers: { 200: tensorAnswer(inputEmbeddingsAnswer, ['Server-Timing', ...Object.values(COUNT_HEADERS)]) },
    errors: [ROWS_ERRORS, BATCH_ERRORS],
  },
}
