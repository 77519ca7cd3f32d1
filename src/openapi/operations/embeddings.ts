import { ref } from '../json.js'
import { jsonAnswer, jsonExample, type Operation } from '../operation.js'
import { ROWS_ERRORS } from './error-lists.js'

export const embeddings: Operation = {
  id: 'createEmbeddings',
  method: 'post',
  path: '/v1/embeddings',
  tag: 'Embeddings',
  summary: 'An embedding of each text, by a static model',
  description:
    'OpenAI’s contract, for folders in Model2Vec’s or sentence-transformers’ `StaticEmbedding` layout: the mean of a text’s ' +
    'rows, as the library of the layout computes it. The fields of the answer that OpenAI’s has not are passed over by its ' +
    'clients. Ids are taken as they are, and cut to the model’s `max_length` as those of a text are.',
  body: { 'application/json': ref('schemas', 'EmbeddingsRequest') },
  answer: jsonAnswer('EmbeddingsAnswer', 'The embeddings, in the order of `input`.', ['Content-Length']),
  errors: [...ROWS_ERRORS, 'response_too_large'],
  examplesBy: 'folders',
  examples: [
    jsonExample('texts', 'Two texts', { model: 'words', input: ['Hello, world!', 'Good morning'] }),
    jsonExample('base64', 'One text as base64', {
      model: 'words',
      input: 'Hello',
      encoding_format: 'base64',
    }),
    jsonExample('ids', 'Ids, the first two numbers', {
      model: 'words',
      input: [15496, 11, 995],
      dimensions: 2,
    }),
    jsonExample('unsupported_combination', 'A model that is not static', { input: 'Hello' }),
  ],
}
