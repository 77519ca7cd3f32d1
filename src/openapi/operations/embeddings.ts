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
    'clients. Ids are taken where the model’s `pooling.accept_ids` says so, by default from none with a tokenizer of its own, and are ' +
    'cut to its `max_length` as those of a text are. `output_dtype` gives the bytes of sentence-transformers’ ' +
    '`quantize_embeddings`: `int8` and `uint8` need `ranges`, or the folder’s.',
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
    jsonExample('int8', 'In 8 bits', {
      model: 'words',
      input: 'Hello',
      output_dtype: 'int8',
      ranges: [
        [-1, -1, -1],
        [1, 1, 1],
      ],
    }),
    jsonExample('unsupported_combination', 'A model that is not static', { input: 'Hello' }),
  ],
}
