import type { ErrorCode } from '../../service/answer/error-table.js'
import { TENSOR_HEADERS } from '../../service/document/headers.js'
import {
  BINARY_TENSORS,
  BYTES,
  GONE,
  type GoodAnswer,
  jsonAnswer,
  jsonBody,
  LEASE_ERRORS,
  type Operation,
} from '../../service/document/operation.js'
import { otherParameters } from '../../service/document/parameters.js'

/** The ids of the examples' datasets, which are of their content. */
export const OF_CITY = 'ds_7uykagamev6hozbu43r2dpbloh'
export const OF_NUMBERS = 'ds_tleih6uvcdoyn2b2xbg7sljilj'

/** Of operations that compute windows. */
const RECIPE: readonly ErrorCode[] = [
  ...(['recipe_mismatch', 'no_windows', 'insufficient_memory', 'dataset_indexing'] as const),
]

const DTYPE = ['X-Tensor-Dtype']
const CONDITIONAL = ['ETag', 'Cache-Control', 'Accept-Ranges']
const BATCH_HEADERS = [...CONDITIONAL, 'Link', 'X-Recipe-Id', 'X-Epoch', 'X-Batch-Index', 'X-Num-Batches']
const UNCHANGED = { status: 304, description: 'The caller has it.', content: {} }
const RANGES = ['range', 'if_range', 'if_none_match']

const FILE: GoodAnswer = {
  description: 'The file.',
  headers: ['Content-Length', ...CONDITIONAL, ...DTYPE],
  content: { 'application/octet-stream': BYTES, 'application/x-npy': BYTES },
}
const BATCH = jsonAnswer(
  ...(['DatasetBatchAnswer', 'The tensors asked for. npy and octet-stream carry exactly one.'] as const),
  [...BATCH_HEADERS, 'Content-Length', ...TENSOR_HEADERS],
  BINARY_TENSORS,
)

/** The answer to a range of another one. */
function part(description: string, of: GoodAnswer, content: GoodAnswer['content']): GoodAnswer {
  return { status: 206, description, headers: [...of.headers!, 'Content-Range'], content }
}

const operations: readonly Omit<Operation, 'tag'>[] = [
  {
    id: 'listDatasets',
    route: 'get /v1/datasets',
    summary: 'The datasets',
    description: 'Corpora and mixtures, the newest first.',
    parameters: otherParameters('datasets'),
    answers: [jsonAnswer('DatasetList', 'The datasets.')],
    errors: ['invalid_request', 'dataset_not_found'],
  },
  {
    id: 'createDataset',
    route: 'post /v1/datasets',
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
      ...jsonBody('MixtureRequest'),
    },
    answers: [
      jsonAnswer('Dataset', 'The same content was there already.', ['Location']),
      { ...jsonAnswer('Dataset', 'The dataset is made.', ['Location']), status: 201 },
    ],
    errors: [
      ...(['empty_input', 'model_not_found', 'dataset_not_found', 'encoding_mismatch'] as const),
      ...(['token_out_of_range', 'tokenizer_unavailable'] as const),
      ...(['loading', 'model_failed', 'insufficient_storage'] as const),
    ],
    examples: [
      {
        name: 'lines',
        summary: 'A document a line',
        parameters: { encoding: 'gpt2', documents: 'lines', document_end: 'endoftext', name: 'greetings' },
        ...{ body: 'Hello, world!\nGood morning to you.\n', mediaType: 'text/plain' },
      },
      {
        name: 'ids',
        summary: 'Ids of no encoding',
        ...{ body: '{"input_ids":[1,2,3]}\n{"input_ids":[4,5]}\n', mediaType: 'application/x-ndjson' },
      },
      {
        name: 'mixture',
        summary: 'Two parts of one and one of the other',
        body: { mixture: [OF_CITY, OF_NUMBERS].map((dataset, i) => ({ dataset, weight: 2 - i })) },
      },
    ],
  },
  {
    id: 'getDataset',
    route: 'get /v1/datasets/{dataset}',
    summary: 'One dataset',
    description: 'A corpus with its sizes, or a mixture with its members.',
    answers: [jsonAnswer('Dataset', 'The dataset.')],
    examples: [{ name: 'city', summary: 'Three documents', parameters: { dataset: OF_CITY } }],
  },
  {
    id: 'deleteDataset',
    route: 'delete /v1/datasets/{dataset}',
    summary: 'Delete a dataset',
    description:
      'For the admin key, and the key that uploaded it. What is read at this moment may end. A mixture stays when a member is ' +
      'deleted: its batches are 404 then.',
    answers: [GONE],
    errors: ['forbidden'],
  },
  {
    id: 'getDatasetTokens',
    route: 'get /v1/datasets/{dataset}/tokens',
    summary: 'All ids of a corpus',
    description: 'The tokens file, in its own element type: what nanoGPT reads. As npy it has a header.',
    parameters: RANGES,
    answers: [
      FILE,
      part('The range.', FILE, FILE.content),
      { ...UNCHANGED, headers: ['ETag', 'Cache-Control', ...DTYPE] },
    ],
    errors: ['range_not_satisfiable'],
  },
  {
    id: 'getDatasetDocument',
    route: 'get /v1/datasets/{dataset}/documents/{document}',
    summary: 'One document',
    description: 'Its ids, and their text by the dataset’s encoding.',
    answers: [jsonAnswer('DatasetDocument', 'The document.', ['Content-Length'])],
    errors: [
      ...(['response_too_large', 'model_not_found', 'token_out_of_range'] as const),
      ...(['tokenizer_unavailable', 'loading', 'model_failed'] as const),
    ],
    examples: [
      {
        ...{ name: 'last', summary: 'The last one', parameters: { dataset: OF_CITY, document: 2 } },
        answer: {
          ...{ document: 2, start: 16, num_tokens: 5, input_ids: [15496, 11, 995, 0, 50256] },
          ...{ text: 'Hello, world!<|endoftext|>', lossy: false },
        },
      },
    ],
  },
  {
    id: 'getDatasetPlan',
    route: 'get /v1/datasets/{dataset}/batches',
    summary: 'What a recipe will give',
    description:
      'How many windows and batches an epoch has, and what is padded, dropped and split, before anything runs. The fields of ' +
      'the answer’s form (`outputs`, `dtype`, …) have no effect here.',
    parameters: otherParameters('recipe'),
    answers: [jsonAnswer('DatasetPlan', 'The plan.')],
    errors: RECIPE,
    examples: [
      {
        name: 'packed',
        summary: 'Whole documents, packed',
        parameters: { dataset: OF_CITY, context_length: 8, batch_size: 2, packing: 'best_fit' },
      },
    ],
  },
  {
    id: 'getDatasetBatch',
    route: 'get /v1/datasets/{dataset}/batches/{batch}',
    summary: 'A batch of a dataset',
    description:
      'Batch i is the same whoever asks for it, and whenever: nothing is kept between requests. A rank without rows in a ' +
      'short last batch gets tensors of no rows. `outputs` absent: ids and targets, their mask where windows can be padded, ' +
      'their segments where they are packed; in formats that carry one tensor it is needed. The answer’s form is chosen by ' +
      '`Accept`.',
    parameters: [...RANGES, ...otherParameters('recipe')],
    answers: [
      BATCH,
      part('A range of a binary answer.', BATCH, BINARY_TENSORS),
      { ...UNCHANGED, headers: BATCH_HEADERS },
    ],
    errors: [
      ...([...RECIPE, ...LEASE_ERRORS, 'model_not_found', 'response_too_large'] as const),
      ...(['range_not_satisfiable', 'context_too_long', 'batch_out_of_range'] as const),
      ...(['encoding_mismatch', 'token_out_of_range', 'unsupported_combination'] as const),
    ],
    examples: [
      {
        name: 'shuffled',
        summary: 'The second batch of a shuffled epoch, for the second of two ranks',
        parameters: {
          ...{ dataset: OF_CITY, batch: 1, context_length: 4, batch_size: 2, shuffle: 'index', seed: 7 },
          ...{ world_size: 2, rank: 1, outputs: ['input_ids'] },
        },
      },
    ],
  },
]

export const datasetOperations: readonly Operation[] = operations.map((each) => ({
  tag: 'Datasets',
  ...each,
}))
