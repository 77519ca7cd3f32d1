import { embeddingRequest } from '../../checkpoints/embedding-request.js'
import { architectures } from '../../first-layer/embeddings/architectures/registry.js'
import { COUNT_HEADERS } from '../../service/answer/counts.js'
import { component, count, object } from '../../service/document/components.js'
import { COUNT_DOCS } from '../../service/document/headers.js'
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

const always = ['num_tokens', 'num_windows', 'num_dropped_tokens']
const counts = Object.entries(COUNT_DOCS).map(([name, text]) => {
  return [name, always.includes(name) ? count(text) : count(text).optional()] as const
})

const inputEmbeddingsAnswer = object('InputEmbeddingsAnswer', {
  ...{ ...answeredBy, ...Object.fromEntries(counts), ...tensorFields },
})

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
