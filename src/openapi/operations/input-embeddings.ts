import { COUNT_HEADERS } from '../../wire/formats/headers.js'
import { rawTextOptions } from '../../wire/schemas/embedding-request.js'
import { TENSOR_HEADERS } from '../headers.js'
import { ref } from '../json.js'
import { type Example, jsonAnswer, jsonExample, type Operation } from '../operation.js'
import { queryParameters } from '../parameters.js'
import { BATCH_ERRORS, ROWS_ERRORS } from './error-lists.js'
import { BINARY_TENSORS } from './media.js'

const TEXT = 'In the heart of the city stood the old library'

const examples: readonly Example[] = [
  jsonExample('windows', 'Windows of four tokens and their targets', {
    text: TEXT,
    context_length: 4,
    stride: 4,
    outputs: ['input_ids', 'target_ids'],
  }),
  jsonExample('one_token', 'Without `context_length` a document is one window', {
    text: 'Hello',
    outputs: ['input_ids', 'input_embeddings'],
  }),
  jsonExample('base64', 'The bytes of float16 numbers as base64', {
    text: TEXT,
    context_length: 4,
    batch_size: 1,
    batch_index: 0,
    dtype: 'float16',
    encoding_format: 'base64',
  }),
  jsonExample('shuffled_batch', 'The second batch of a shuffled PyTorch DataLoader', {
    text: TEXT,
    context_length: 4,
    stride: 1,
    batch_size: 2,
    batch_index: 1,
    shuffle: true,
    seed: 123,
    drop_last: true,
    outputs: ['input_ids', 'target_ids', 'window_starts'],
  }),
  jsonExample('documents', 'Two documents, the shorter one padded', {
    text: ['Hello, world!', 'Good morning to you'],
    outputs: ['input_ids', 'attention_mask', 'document_ids'],
  }),
  jsonExample('padded_tail', 'Ids as given, windows over all of them', {
    input_ids: [15496, 11, 995, 0, 50256, 10248],
    context_length: 4,
    tail: 'pad',
    outputs: ['input_ids', 'target_ids', 'attention_mask'],
  }),
  jsonExample('rope', 'Rotary tables beside the ids', {
    text: TEXT,
    context_length: 4,
    batch_size: 1,
    batch_index: 0,
    position_embedding: { type: 'rope', head_dim: 8 },
    position_offset: 2,
    outputs: ['input_ids', 'inv_freq', 'cos', 'sin'],
  }),
  {
    name: 'raw_text',
    summary: 'Raw text, with the fields in the query string',
    parameters: { context_length: '4', stride: '2', outputs: 'input_ids,window_starts' },
    body: { mediaType: 'text/plain', value: TEXT },
  },
  jsonExample('model_not_found', 'A model that is not there', { text: 'Hello', model: 'gpt-5' }),
  jsonExample('response_too_large', 'A bias of four million numbers for each of eight heads', {
    text: 'Hello',
    context_length: 2000,
    tail: 'pad',
    position_embedding: 'alibi',
    outputs: ['position_bias'],
  }),
  jsonExample('context_too_long', 'More positions than the table has rows', {
    text: 'Hello',
    context_length: 1025,
  }),
  jsonExample('no_windows', 'Too short for a window and its target', {
    text: 'Hello, world!',
    context_length: 4,
  }),
  jsonExample('batch_out_of_range', 'A batch beyond the last one', {
    text: TEXT,
    context_length: 4,
    batch_size: 2,
    batch_index: 1,
  }),
  jsonExample('token_out_of_range', 'An id without a row', { input_ids: [15496, 50257] }),
  jsonExample('unsupported_combination', 'An output that the scheme does not give', {
    text: 'Hello',
    position_embedding: 'none',
    outputs: ['position_embeddings'],
  }),
]

export const inputEmbeddings: Operation = {
  id: 'createInputEmbeddings',
  method: 'post',
  path: '/v1/input-embeddings',
  tag: 'Embeddings',
  summary: 'Text or ids in, input embeddings out',
  description:
    'Text → token ids → windows → token rows (+ position rows). The fields stand in the JSON body or, beside ' +
    'raw text, in the query string; beside a JSON body the query string may have defaults alone. Fields ' +
    'without effect are accepted. The answer’s form is chosen by `Accept`.',
  parameters: Object.keys(queryParameters(rawTextOptions)),
  body: {
    'application/json': ref('schemas', 'InputEmbeddingsRequest'),
    'text/plain': { type: 'string', minLength: 1, description: 'One document, UTF-8, read as it arrives.' },
  },
  answer: jsonAnswer(
    'InputEmbeddingsAnswer',
    'The tensors asked for. npy and octet-stream carry exactly one.',
    ['Server-Timing', 'Content-Length', ...Object.values(COUNT_HEADERS), ...TENSOR_HEADERS],
    BINARY_TENSORS,
  ),
  errors: [...ROWS_ERRORS, ...BATCH_ERRORS],
  examples,
}
