import { ref } from '../json.js'
import { jsonAnswer, jsonExample, type Operation } from '../operation.js'
import { ROWS_ERRORS } from './error-lists.js'

export const cohereEmbed: Operation = {
  id: 'cohereEmbed',
  method: 'post',
  path: '/v2/embed',
  tag: 'Embeddings',
  summary: 'Embeddings of texts in several types, by a static model',
  description:
    'Cohere’s contract, version 2, for the models of /v1/embeddings. Texts are not repeated in the answer. `int8` and ' +
    '`uint8` need ranges in the model’s folder; images are refused.',
  body: { 'application/json': ref('schemas', 'CohereEmbedRequest') },
  answer: jsonAnswer('CohereEmbedAnswer', 'The embeddings by type, in the order of the texts.', [
    'Content-Length',
  ]),
  errors: [...ROWS_ERRORS, 'context_too_long', 'response_too_large'],
  errorForm: 'cohere',
  examplesBy: 'folders',
  examples: [
    jsonExample('types', 'Two texts in two types', {
      model: 'words',
      texts: ['Hello, world!', 'Good morning'],
      input_type: 'search_document',
      embedding_types: ['float', 'ubinary'],
    }),
    jsonExample('unsupported_combination', 'A model that is not static', { texts: ['Hello'] }),
  ],
}
