import { z } from 'zod'
import { answeredModel, component, count, object } from '../../service/document/components.js'
import { answer, type Operations, ROWS_ERRORS } from '../../service/document/operation.js'
import { BYTE_DTYPES, embeddingsRequest } from './schemas.js'

export { default as examples } from './examples.json' with { type: 'json' }
export const tag = 'Embeddings'

component('EmbeddingsRequest', embeddingsRequest)

const embedding = object('Embedding', {
  object: z.literal('embedding'),
  index: count('Place of the text in `input`.'),
  embedding: z
    .union([z.array(z.number()), z.string().meta({ contentEncoding: 'base64' })])
    .describe(
      'Numbers of the `output_dtype`; under `encoding_format` base64 one string of their bytes, little-endian.',
    ),
})

const usage = object('EmbeddingsUsage', {
  prompt_tokens: count('Tokens of all texts, without those beyond the model’s `max_length`.'),
  total_tokens: count('The same.'),
})

export const embeddingsAnswer = object('EmbeddingsAnswer', {
  object: z.literal('list'),
  data: z.array(embedding),
  ...answeredModel,
  output_dtype: z.enum(BYTE_DTYPES).optional().describe('Type of the numbers where they are no float32.'),
  usage,
})

export const operations: Operations = {
  createEmbeddings: {
    summary: 'An embedding of each text, by a static model',
    description:
      'OpenAI’s contract, for folders in Model2Vec’s or sentence-transformers’ `StaticEmbedding` layout: the mean of a text’s rows, as the library of the layout computes it. A member that is null is as an absent one. The fields of the answer that OpenAI’s has not are passed over by its clients. Ids are taken where the model’s `pooling.accept_ids` says so, by default from none with a tokenizer of its own, and are cut to its `max_length` as those of a text are. `output_dtype` gives the bytes of sentence-transformers’ `quantize_embeddings`: `int8` and `uint8` need `ranges`, or the folder’s.',
    answers: {
      200: answer(embeddingsAnswer, 'The embeddings, in the order of `input`.', ['Content-Length']),
    },
    errors: ROWS_ERRORS,
  },
}
