import { datasetUpload } from '../../corpus/upload-options.js'
import { component, count, object, text } from '../../service/document/components.js'
import {
  answer,
  BYTES,
  GONE,
  inHead,
  inPath,
  LEASE_ERRORS,
  MASK_ERRORS,
  NUMBER,
  type Operations,
} from '../../service/document/operation.js'
import { answeredBy, tensorAnswer, tensorFields } from '../../service/document/tensors.js'
import {
  batchDocumentsAnswer,
  batchPlace,
  datasetAnswer,
  datasetDocument,
  datasetPlan,
  datasetsAnswer,
} from './schemas/answers.js'
import { batchDocuments, datasetRecipe, mixtureRequest } from './schemas/requests.js'

export { default as examples } from './examples.json' with { type: 'json' }
export const tag = 'Datasets'

export const parameters = {
  dataset_path: inPath('dataset', 'Id of the dataset.', { errors: ['invalid_request', 'dataset_not_found'] }),
  document_path: inPath('document', 'Number of the document, from 0.', { schema: NUMBER }),
  batch_path: inPath('batch', 'The batch, from 0.', { schema: NUMBER }),
  range: inHead('Range', 'One range of bytes, `bytes=0-1023`; several are answered with the whole.', {
    errors: ['range_not_satisfiable'],
  }),
  if_range: inHead('If-Range', 'The ETag that `Range` holds for: of another answer all comes.'),
}
const RANGES = ['range', 'if_range', 'if_none_match']

component('MixtureRequest', mixtureRequest, 'Each member has a `weight`, or `stages` have all weights.')
component('MixtureMember', mixtureRequest.shape.mixture.out.element)
component('MixtureStage', mixtureRequest.shape.stages.unwrap().out.element)

const batchAnswer = object('DatasetBatchAnswer', {
  ...batchPlace,
  num_target_tokens: count(
    'Of chats: trained targets of all ranks’ windows in these batches, the divisor of a loss over ranks.',
  ).optional(),
  model: text('Id of the model; where an output needs one.').optional(),
  model_version: answeredBy.model_version.optional(),
  ...tensorFields,
})

const RECIPE = { query: datasetRecipe, prefix: 'recipe' }
const RECIPE_ERRORS = ['recipe_mismatch', 'no_windows', 'insufficient_memory', 'dataset_indexing'] as const

const UNCHANGED = 'The caller has it.'
const CONDITIONAL = ['ETag', 'Cache-Control', 'Accept-Ranges']
const FILE_HEADERS = ['Content-Length', ...CONDITIONAL, 'X-Tensor-Dtype']
const BATCH_HEADERS = [
  ...CONDITIONAL,
  'Link',
  'X-Recipe-Id',
  'X-Epoch',
  'X-Batch-Index',
  'X-Num-Batches',
  'X-Num-Target-Tokens',
]
const BATCH = tensorAnswer(batchAnswer, BATCH_HEADERS)

export const operations: Operations = {
  listDatasets: {
    summary: 'The datasets',
    description: 'Corpora and mixtures, the newest first.',
    prefix: 'datasets',
    answers: { 200: answer(datasetsAnswer, 'The datasets.') },
    errors: ['dataset_not_found'],
  },
  createDataset: {
    summary: 'Upload a corpus, or mix some',
    description:
      'A corpus as text, as JSON lines of `{"text"}` or `{"input_ids"}`, or as ids without a header (nanoGPT’s `.bin`), read as it arrives; it may take longer than other requests as long as bytes come. Or, as JSON, a mixture: a dataset made of datasets. The id is of the content: the same upload twice is one dataset.',
    query: datasetUpload,
    prefix: 'upload',
    body: {
      'text/plain': { type: 'string', description: 'UTF-8: one document, or one a line.' },
      'application/x-ndjson': {
        type: 'string',
        description:
          'A document a line, as JSON: `text` or `input_ids`; other members are passed over, but for those that are named as masks, labels, chats or a second text (`labels`, `completion_mask`, `conversations`, `completion`): 400. Or a chat a line: `messages`, `conversations` (ShareGPT), or `prompt` and `completion`, with `tools` and `chat_template_kwargs`.',
      },
      'application/octet-stream': { ...BYTES, description: 'Ids of `dtype`, little-endian.' },
    },
    answers: {
      200: answer(datasetAnswer, 'The same content was there already.', ['Location']),
      201: answer(datasetAnswer, 'The dataset is made.', ['Location']),
    },
    errors: [
      ['empty_input', 'model_not_found', 'dataset_not_found', 'encoding_mismatch', 'token_out_of_range'],
      ['tokenizer_unavailable', 'loading', 'model_failed', 'insufficient_storage'],
      MASK_ERRORS,
    ],
  },
  getDataset: {
    summary: 'One dataset',
    description: 'A corpus with its sizes, or a mixture with its members.',
    answers: { 200: answer(datasetAnswer, 'The dataset.') },
  },
  deleteDataset: {
    summary: 'Delete a dataset',
    description:
      'For the admin key, and the key that uploaded it. What another key has uploaded too stays until both have deleted it. What is read at this moment may end. A mixture stays when a member is deleted: its batches are 404 then.',
    answers: GONE,
    errors: ['forbidden'],
  },
  getDatasetTokens: {
    summary: 'All ids of a corpus',
    description: 'The tokens file, in its own element type: what nanoGPT reads. As npy it has a header.',
    head: RANGES,
    answers: {
      200: { description: 'The file.', headers: FILE_HEADERS },
      206: { description: 'The range.', headers: [...FILE_HEADERS, 'Content-Range'] },
      304: { description: UNCHANGED, headers: ['ETag', 'Cache-Control', 'X-Tensor-Dtype'] },
    },
  },
  getDatasetDocument: {
    summary: 'One document',
    description: 'Its ids, and their text by the dataset’s encoding.',
    answers: { 200: answer(datasetDocument, 'The document.', ['Content-Length']) },
    errors: [
      ['response_too_large', 'model_not_found', 'token_out_of_range'],
      ['tokenizer_unavailable', 'loading', 'model_failed'],
    ],
  },
  getDatasetPlan: {
    summary: 'What a recipe will give',
    description:
      'How many windows and batches an epoch has, and what is padded, dropped and split, before anything runs. The fields of the answer’s form (`outputs`, `dtype`, …) have no effect here.',
    ...RECIPE,
    answers: { 200: answer(datasetPlan, 'The plan.') },
    errors: RECIPE_ERRORS,
  },
  getDatasetBatchDocuments: {
    summary: 'What stands in a batch',
    description:
      'For each row of the batch the documents whose tokens it holds, and where; for each document its line in the upload, where it came as one. The other fields of a batch (`outputs`, `model`, …) may stand here too, without effect.',
    ...{ query: batchDocuments, prefix: 'recipe' },
    answers: { 200: answer(batchDocumentsAnswer, 'The documents.', ['Content-Length']) },
    errors: [
      [...RECIPE_ERRORS, 'batch_out_of_range', 'unsupported_combination'],
      ['response_too_large', 'model_not_found', 'token_out_of_range'],
      ['tokenizer_unavailable', 'loading', 'model_failed'],
    ],
  },
  getDatasetBatch: {
    summary: 'A batch of a dataset',
    description:
      'Batch i is the same whoever asks for it, and whenever: nothing is kept between requests. A rank without rows in a short last batch gets tensors of no rows. `outputs` absent: ids and targets, their mask where windows can be padded, their segments where they are packed; in formats that carry one tensor it is needed. The answer’s form is chosen by `Accept`.',
    head: RANGES,
    ...RECIPE,
    answers: {
      200: BATCH,
      206: { description: 'A range of a binary answer.', headers: [...BATCH.headers!, 'Content-Range'] },
      304: { description: UNCHANGED, headers: BATCH_HEADERS },
    },
    errors: [
      [...RECIPE_ERRORS, ...LEASE_ERRORS, 'model_not_found', 'response_too_large', 'context_too_long'],
      ['batch_out_of_range', 'encoding_mismatch', 'token_out_of_range', 'unsupported_combination'],
    ],
  },
}
