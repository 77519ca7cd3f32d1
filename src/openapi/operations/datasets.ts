import type { ErrorCode } from '../../errors.js'
import { OF_CITY, OF_NUMBERS } from '../example-datasets.js'
import { TENSOR_HEADERS } from '../headers.js'
import { ref } from '../json.js'
import { type Example, jsonAnswer, jsonExample, type Operation } from '../operation.js'
import { otherParameters } from '../parameters.js'
import { JSON_ERRORS, LEASE_ERRORS } from './error-lists.js'
import { BINARY_TENSORS, BYTES } from './media.js'

function operation(
  rest: Omit<Operation, 'tag' | 'examples'> & { readonly examples?: readonly Example[] },
): Operation {
  return { tag: 'Datasets', examples: [], ...rest }
}

/** Of operations on one dataset. */
const ONE: readonly ErrorCode[] = ['invalid_request', 'dataset_not_found']
/** Of operations that compute windows. */
const RECIPE: readonly ErrorCode[] = [
  ...([...ONE, 'not_acceptable', 'recipe_mismatch', 'no_windows'] as const),
  ...(['insufficient_memory', 'dataset_indexing'] as const),
]

const notFound: Example = {
  name: 'dataset_not_found',
  summary: 'A dataset that is not there',
  parameters: { dataset: 'ds_none' },
}

const list = operation({
  id: 'listDatasets',
  method: 'get',
  path: '/v1/datasets',
  summary: 'The datasets',
  description: 'Corpora and mixtures, the newest first.',
  parameters: otherParameters('datasets'),
  answer: jsonAnswer('DatasetList', 'The datasets.'),
  errors: [...ONE, 'not_acceptable'],
})

const upload = operation({
  id: 'createDataset',
  method: 'post',
  path: '/v1/datasets',
  summary: 'Upload a corpus, or mix some',
  description:
    'A corpus as text, as JSON lines of `{"text"}` or `{"input_ids"}`, or as ids without a header (nanoGPT’s `.bin`), read ' +
    'as it arrives; it may take longer than other requests as long as bytes come. Or, as JSON, a mixture: a dataset made of ' +
    'datasets. The id is of the content: the same upload twice is one dataset.',
  parameters: otherParameters('upload'),
  body: {
    'text/plain': { type: 'string', description: 'UTF-8: one document, or one a line.' },
    'application/x-ndjson': {
      type: 'string',
      description:
        'A document a line, as JSON: `text` or `input_ids`. Other members are passed over, but for `labels`, `loss_mask`, `attention_mask`, `messages` and `token_type_ids`: 400.',
    },
    'application/octet-stream': { ...BYTES, description: 'Ids of `dtype`, little-endian.' },
    'application/json': ref('schemas', 'MixtureRequest'),
  },
  answer: jsonAnswer('Dataset', 'The same content was there already.', ['Location']),
  otherAnswers: [{ ...jsonAnswer('Dataset', 'The dataset is made.', ['Location']), status: 201 }],
  errors: [
    ...([...JSON_ERRORS, 'empty_input', 'not_acceptable', 'model_not_found', 'dataset_not_found'] as const),
    ...(['encoding_mismatch', 'token_out_of_range', 'tokenizer_unavailable'] as const),
    ...(['loading', 'model_failed', 'insufficient_storage'] as const),
  ],
  examples: [
    {
      name: 'lines',
      summary: 'A document a line',
      parameters: { encoding: 'gpt2', documents: 'lines', document_end: 'endoftext', name: 'greetings' },
      body: { mediaType: 'text/plain', value: 'Hello, world!\nGood morning to you.\n' },
    },
    {
      name: 'ids',
      summary: 'Ids of no encoding',
      body: { mediaType: 'application/x-ndjson', value: '{"input_ids":[1,2,3]}\n{"input_ids":[4,5]}\n' },
    },
    jsonExample('mixture', 'Two parts of one and one of the other', {
      mixture: [
        { dataset: OF_CITY, weight: 2 },
        { dataset: OF_NUMBERS, weight: 1 },
      ],
    }),
    jsonExample('dataset_not_found', 'A mixture of what is not there', {
      mixture: [{ dataset: 'ds_none', weight: 1 }],
    }),
  ],
})

const get = operation({
  id: 'getDataset',
  method: 'get',
  path: '/v1/datasets/{dataset}',
  summary: 'One dataset',
  description: 'A corpus with its sizes, or a mixture with its members.',
  parameters: ['dataset_path'],
  answer: jsonAnswer('Dataset', 'The dataset.'),
  errors: [...ONE, 'not_acceptable'],
  examples: [{ name: 'city', summary: 'Three documents', parameters: { dataset: OF_CITY } }, notFound],
})

const remove = operation({
  id: 'deleteDataset',
  method: 'delete',
  path: '/v1/datasets/{dataset}',
  summary: 'Delete a dataset',
  description:
    'For the admin key, and the key that uploaded it. What is read at this moment may end. A mixture stays when a member is ' +
    'deleted: its batches are 404 then.',
  parameters: ['dataset_path'],
  answer: { status: 204, description: 'It is gone.', headers: [], content: {} },
  errors: [...ONE, 'forbidden'],
})

const DTYPE = ['X-Tensor-Dtype']
const CONDITIONAL = ['ETag', 'Cache-Control', 'Accept-Ranges']
const BATCH_HEADERS = [...CONDITIONAL, 'Link', 'X-Recipe-Id', 'X-Epoch', 'X-Batch-Index', 'X-Num-Batches']
const IDS = { 'application/octet-stream': BYTES, 'application/x-npy': BYTES }
const UNCHANGED = { status: 304, description: 'The caller has it.', content: {} }

const tokens = operation({
  id: 'getDatasetTokens',
  method: 'get',
  path: '/v1/datasets/{dataset}/tokens',
  summary: 'All ids of a corpus',
  description: 'The tokens file, in its own element type: what nanoGPT reads. As npy it has a header.',
  parameters: ['dataset_path', 'range', 'if_range', 'if_none_match'],
  answer: {
    description: 'The file.',
    headers: ['Content-Length', ...CONDITIONAL, ...DTYPE],
    content: IDS,
  },
  otherAnswers: [
    {
      status: 206,
      description: 'The range.',
      headers: ['Content-Length', 'Content-Range', ...CONDITIONAL, ...DTYPE],
      content: IDS,
    },
    { ...UNCHANGED, headers: ['ETag', 'Cache-Control', ...DTYPE] },
  ],
  errors: [...ONE, 'not_acceptable', 'range_not_satisfiable'],
})

const document = operation({
  id: 'getDatasetDocument',
  method: 'get',
  path: '/v1/datasets/{dataset}/documents/{document}',
  summary: 'One document',
  description: 'Its ids, and their text by the dataset’s encoding.',
  parameters: ['dataset_path', 'document_path'],
  answer: jsonAnswer('DatasetDocument', 'The document.', ['Content-Length']),
  errors: [
    ...([...ONE, 'not_acceptable', 'response_too_large', 'model_not_found'] as const),
    ...(['token_out_of_range', 'tokenizer_unavailable', 'loading', 'model_failed'] as const),
  ],
  examples: [
    { name: 'first', summary: 'The first one', parameters: { dataset: OF_CITY, document: '0' } },
    notFound,
  ],
})

const recipeParameters = ['dataset_path', ...otherParameters('recipe')]

const plan = operation({
  id: 'getDatasetPlan',
  method: 'get',
  path: '/v1/datasets/{dataset}/batches',
  summary: 'What a recipe will give',
  description:
    'How many windows and batches an epoch has, and what is padded, dropped and split, before anything runs. The fields of ' +
    'the answer’s form (`outputs`, `dtype`, …) have no effect here.',
  parameters: recipeParameters,
  answer: jsonAnswer('DatasetPlan', 'The plan.'),
  errors: RECIPE,
  examples: [
    {
      name: 'packed',
      summary: 'Whole documents, packed',
      parameters: { dataset: OF_CITY, context_length: '8', batch_size: '2', packing: 'best_fit' },
    },
    { ...notFound, parameters: { ...notFound.parameters, context_length: '8', batch_size: '2' } },
    {
      name: 'recipe_mismatch',
      summary: 'A recipe that has changed',
      parameters: { dataset: OF_CITY, context_length: '8', batch_size: '2', recipe_id: 'none' },
    },
  ],
})

const batch = operation({
  id: 'getDatasetBatch',
  method: 'get',
  path: '/v1/datasets/{dataset}/batches/{batch}',
  summary: 'A batch of a dataset',
  description:
    'Batch i is the same whoever asks for it, and whenever: nothing is kept between requests. A rank without rows in a ' +
    'short last batch gets tensors of no rows. `outputs` absent: ids and targets, their mask where windows can be padded, ' +
    'their segments where they are packed; in formats that carry one tensor it is needed. The answer’s form is chosen by ' +
    '`Accept`.',
  parameters: [
    'dataset_path',
    'batch_path',
    'range',
    'if_range',
    'if_none_match',
    ...recipeParameters.slice(1),
  ],
  answer: jsonAnswer(
    'DatasetBatchAnswer',
    'The tensors asked for. npy and octet-stream carry exactly one.',
    [...BATCH_HEADERS, 'Content-Length', ...TENSOR_HEADERS],
    BINARY_TENSORS,
  ),
  otherAnswers: [
    {
      status: 206,
      description: 'A range of a binary answer.',
      headers: [...BATCH_HEADERS, 'Content-Length', 'Content-Range', ...TENSOR_HEADERS],
      content: BINARY_TENSORS,
    },
    { ...UNCHANGED, headers: BATCH_HEADERS },
  ],
  errors: [
    ...([...RECIPE, ...LEASE_ERRORS, 'response_too_large', 'range_not_satisfiable'] as const),
    ...(['context_too_long', 'batch_out_of_range', 'encoding_mismatch'] as const),
    ...(['token_out_of_range', 'unsupported_combination'] as const),
  ],
  examples: [
    {
      name: 'packed',
      summary: 'The first batch of packed windows',
      parameters: { dataset: OF_CITY, batch: '0', context_length: '8', batch_size: '2', packing: 'best_fit' },
    },
    {
      name: 'shuffled',
      summary: 'The second batch of a shuffled epoch, for the second of two ranks',
      parameters: {
        ...{
          dataset: OF_CITY,
          batch: '1',
          context_length: '4',
          batch_size: '2',
          shuffle: 'index',
          seed: '7',
        },
        ...{ world_size: '2', rank: '1' },
      },
    },
    {
      ...notFound,
      parameters: { ...notFound.parameters, batch: '0', context_length: '8', batch_size: '2' },
    },
    {
      name: 'batch_out_of_range',
      summary: 'A batch beyond the last one',
      parameters: { dataset: OF_CITY, batch: '100', context_length: '4', batch_size: '2' },
    },
  ],
})

export const datasetOperations: readonly Operation[] = [
  list,
  upload,
  get,
  remove,
  tokens,
  document,
  plan,
  batch,
]
