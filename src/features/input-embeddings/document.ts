import { COUNT_HEADERS } from '../../service/answer/counts.js'
import { TENSOR_HEADERS } from '../../service/document/headers.js'
import {
  BATCH_ERRORS,
  BINARY_TENSORS,
  jsonAnswer,
  jsonBody,
  LEASE_ERRORS,
  type Operation,
  ROWS_ERRORS,
  TEMPLATE_ERRORS,
} from '../../service/document/operation.js'
import { queryParameters } from '../../service/document/parameters.js'
import { rawTextOptions } from '../../service/request/fields/embedding-request.js'
import { positionQuery } from '../positions/schemas.js'

const TEXT = 'In the heart of the city stood the old library'
const TENSORS = 'The tensors asked for. npy and octet-stream carry exactly one.'
const POSITION_PARAMETERS = Object.keys(queryParameters(positionQuery))

const rows = (...data: number[][]) => ({ dtype: 'int32', shape: [data.length, data[0].length], data })
const answered = { model: 'default', model_version: '1' }

export const embeddingOperations: readonly Operation[] = [
  {
    id: 'createInputEmbeddings',
    route: 'post /v1/input-embeddings',
    tag: 'Embeddings',
    summary: 'Text or ids in, input embeddings out',
    description:
      'Text → token ids → windows → token rows (+ position rows). The fields stand in the JSON body or, beside ' +
      'raw text, in the query string; beside a JSON body the query string may have defaults alone. Fields ' +
      'without effect are accepted. The answer’s form is chosen by `Accept`.',
    parameters: Object.keys(queryParameters(rawTextOptions)),
    body: {
      ...jsonBody('InputEmbeddingsRequest'),
      'text/plain': { type: 'string', minLength: 1, description: 'One document, UTF-8, read as it arrives.' },
    },
    answers: [
      jsonAnswer(
        'InputEmbeddingsAnswer',
        TENSORS,
        ['Server-Timing', 'Content-Length', ...Object.values(COUNT_HEADERS), ...TENSOR_HEADERS],
        BINARY_TENSORS,
      ),
    ],
    errors: [...ROWS_ERRORS, ...BATCH_ERRORS],
    examples: [
      {
        name: 'windows',
        summary: 'Windows of four tokens and their targets',
        body: { text: TEXT, context_length: 4, stride: 4, outputs: ['input_ids', 'target_ids'] },
        answer: {
          ...{ ...answered, num_tokens: 10, num_characters: 46, num_windows: 2, num_dropped_tokens: 1 },
          outputs: {
            input_ids: rows([818, 262, 2612, 286], [262, 1748, 6204, 262]),
            target_ids: rows([262, 2612, 286, 262], [1748, 6204, 262, 1468]),
          },
        },
      },
      {
        name: 'shuffled_batch',
        summary: 'The second batch of a shuffled PyTorch DataLoader',
        body: {
          ...{ text: TEXT, context_length: 4, stride: 1, batch_size: 2, batch_index: 1 },
          ...{ shuffle: true, seed: 123, drop_last: true, outputs: ['input_ids', 'window_starts'] },
        },
      },
      {
        name: 'padded_tail',
        summary: 'Ids as given, windows over all of them',
        body: { input_ids: [15496, 11, 995, 0, 50256, 10248], context_length: 4, tail: 'pad' },
      },
      {
        name: 'rope',
        summary: 'Rotary tables beside the ids',
        body: {
          ...{ text: 'Hello', position_embedding: { type: 'rope', head_dim: 8 }, position_offset: 2 },
          outputs: ['input_ids', 'inv_freq', 'cos', 'sin'],
        },
      },
      {
        name: 'raw_text',
        summary: 'Raw text, with the fields in the query string',
        parameters: { context_length: 4, stride: 2, outputs: ['input_ids', 'window_starts'] },
        ...{ body: TEXT, mediaType: 'text/plain' },
      },
    ],
  },
  {
    id: 'getPositionEmbeddings',
    route: 'get /v1/models/{model}/position-embeddings',
    tag: 'Embeddings',
    summary: 'The tensors of a position scheme alone',
    description:
      'What a scheme gives for T = `context_length` positions from `position_offset` on. Options of the scheme ' +
      'are written with dots: `position_embedding=rope&position_embedding.head_dim=8`.',
    parameters: POSITION_PARAMETERS.map((name) => (name === 'context_length' ? `${name}_needed` : name)),
    answers: [
      jsonAnswer('PositionEmbeddingsAnswer', TENSORS, ['Content-Length', ...TENSOR_HEADERS], BINARY_TENSORS),
    ],
    errors: [
      ...(['invalid_request', ...LEASE_ERRORS] as const),
      ...(['response_too_large', 'context_too_long', 'unsupported_combination'] as const),
    ],
    examples: [
      {
        name: 'rope',
        summary: 'Rotary tables of four positions',
        parameters: {
          ...{ model: 'default', context_length: 4 },
          ...{ position_embedding: 'rope', 'position_embedding.head_dim': 8 },
        },
      },
      {
        name: 'alibi',
        summary: 'The slopes of two heads',
        parameters: {
          ...{ model: 'default', context_length: 4, outputs: ['alibi_slopes'] },
          ...{ position_embedding: 'alibi', 'position_embedding.num_heads': 2 },
        },
        answer: {
          ...answered,
          outputs: { alibi_slopes: { dtype: 'float32', shape: [2], data: [0.0625, 0.00390625] } },
        },
      },
    ],
  },
  {
    id: 'createEmbeddings',
    route: 'post /v1/embeddings',
    tag: 'Embeddings',
    summary: 'An embedding of each text, by a static model',
    description:
      'OpenAI’s contract, for folders in Model2Vec’s or sentence-transformers’ `StaticEmbedding` layout: the mean of a text’s ' +
      'rows, as the library of the layout computes it. The fields of the answer that OpenAI’s has not are passed over by its ' +
      'clients. Ids are taken where the model’s `pooling.accept_ids` says so, by default from none with a tokenizer of its own, and are ' +
      'cut to its `max_length` as those of a text are. `output_dtype` gives the bytes of sentence-transformers’ ' +
      '`quantize_embeddings`: `int8` and `uint8` need `ranges`, or the folder’s.',
    body: jsonBody('EmbeddingsRequest'),
    answers: [jsonAnswer('EmbeddingsAnswer', 'The embeddings, in the order of `input`.', ['Content-Length'])],
    errors: ROWS_ERRORS,
    examples: [
      {
        name: 'texts',
        summary: 'Two texts',
        body: { model: 'words', input: ['Hello, world!', 'Good morning'] },
      },
      {
        name: 'ids',
        summary: 'Ids, the first two numbers',
        body: { model: 'words', input: [15496, 11, 995], dimensions: 2 },
        answer: {
          object: 'list',
          data: [{ object: 'embedding', index: 0, embedding: [-0.92477155, -0.38052285] }],
          ...{ model: 'words', model_version: '1', usage: { prompt_tokens: 3, total_tokens: 3 } },
        },
      },
    ],
  },
  {
    id: 'createPromptEmbeds',
    route: 'post /v1/prompt-embeds',
    tag: 'Embeddings',
    summary: 'The rows of prompts, as model servers take them',
    description:
      'For each text the rows that the target’s own lookup would give, of a checkpoint: for vLLM and transformers a file that ' +
      '`torch.load(weights_only=True)` opens, in base64, of a tensor [T, C]; for SGLang numbers. Nothing is padded. Rows give no ' +
      'privacy: the nearest row of the table gives each token back.',
    body: jsonBody('PromptEmbedsRequest'),
    answers: [
      jsonAnswer('PromptEmbedsAnswer', 'One element for each document, in their order.', [
        ...['Content-Length', 'X-Model-Version'],
      ]),
    ],
    errors: [...ROWS_ERRORS, ...TEMPLATE_ERRORS],
    examples: [
      { name: 'vllm', summary: 'A text for vLLM', body: { model: 'llama', text: 'Hello' } },
      {
        name: 'sglang',
        summary: 'Ids for SGLang',
        body: { model: 'llama', input_ids: [[995]], target: 'sglang' },
        answer: {
          ...{ model: 'llama', model_version: '1', input_embeds: [[[-1.5201049, 0.8729467]]] },
          ...{ num_tokens: [1], shape: [[1, 2]] },
        },
      },
    ],
  },
  {
    id: 'findNeighbors',
    route: 'post /v1/models/{model}/neighbors',
    tag: 'Embeddings',
    summary: 'The rows nearest to given ones',
    description:
      'Exact: the whole table is searched, scores are float64, rows that are equally near come by id. A query is a row of the ' +
      'table, the mean of rows (a list of ids, a text), or numbers; a row is among its own neighbours. Rows with numbers that ' +
      'are not finite are left out.',
    body: jsonBody('NeighborsRequest'),
    answers: [
      jsonAnswer('NeighborsAnswer', 'For each query its neighbours, the nearest first.', ['Content-Length']),
    ],
    errors: ROWS_ERRORS,
    examples: [
      {
        name: 'row',
        summary: 'Rows near that of one token',
        parameters: { model: 'default' },
        body: { input_ids: [15496], k: 1 },
        answer: { ...answered, neighbors: [[{ id: 15496, text: 'Hello', score: 1 }]] },
      },
    ],
  },
]
