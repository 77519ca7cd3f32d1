import type { ErrorCode } from '../../errors.js'
import type { inferenceAnswers } from '../../wire/inference/answer-schemas.js'
import { ref } from '../json.js'
import type { Example, GoodAnswer, Operation } from '../operation.js'
import { BATCH_ERRORS, JSON_ERRORS, ROWS_ERRORS } from './error-lists.js'
import { BYTES } from './media.js'

const JSON_TYPE = 'application/json'
const MODEL_ERRORS: readonly ErrorCode[] = ['model_not_found', 'loading', 'model_failed']

type Part = Pick<Operation, 'id' | 'path' | 'summary'> & Partial<Operation>

function operation({ description, ...rest }: Part, schema: keyof typeof inferenceAnswers): Operation {
  const answer = { description: rest.summary, headers: [], content: { [JSON_TYPE]: ref('schemas', schema) } }
  return {
    ...{ method: 'get', tag: 'Open Inference Protocol', errorForm: 'text', errors: [], examples: [], answer },
    ...{ description: description ?? rest.summary },
    ...rest,
  }
}

/** An operation below a model's path, and the same below a version of it. */
function ofModel(part: Part & { end: string }, schema: keyof typeof inferenceAnswers): readonly Operation[] {
  const { end, ...rest } = part
  const errors = [...MODEL_ERRORS, ...(rest.errors ?? [])]
  const { parameters = [], examples = [] } = rest
  const own = { ...rest, errors, examples, parameters: ['model_path', ...parameters] }
  const versioned = {
    ...own,
    id: `${rest.id}Version`,
    examples: [],
    parameters: ['model_path', 'version_path', ...parameters],
  }
  return [
    operation({ ...own, path: `/v2/models/{model}${end}` }, schema),
    operation({ ...versioned, path: `/v2/models/{model}/versions/{version}${end}` }, schema),
  ]
}

function infers(name: string, summary: string, value: object): Example {
  return {
    name,
    summary,
    parameters: { model: 'default' },
    body: { mediaType: JSON_TYPE, value: value as never },
  }
}

const TEXT = { name: 'text', shape: [1], datatype: 'BYTES', data: ['Hello, world!'] }

const INFERRED: GoodAnswer = {
  description:
    'The outputs in their order. Those that are binary stand behind the JSON, one after the other.',
  headers: ['Content-Length', 'Inference-Header-Content-Length', 'X-Model-Version'],
  content: { [JSON_TYPE]: ref('schemas', 'InferenceAnswer'), 'application/octet-stream': BYTES },
}

const infer = ofModel(
  {
    ...{ id: 'infer', path: '', end: '/infer', method: 'post', summary: 'Tensors of a text, or of ids' },
    description:
      'Exactly one of `text` (BYTES [n], a document each) and `input_ids` (INT64 or INT32, [n] or [rows, n]); beside ids also ' +
      '`attention_mask`, whose zeros drop ids at the end of a row, and `token_type_ids`. `parameters` are the fields of ' +
      '/v1/input-embeddings, objects with dots and lists with commas as in its query string; `timeout` is in microseconds. ' +
      'Elements stand in `data`, or, as bytes, behind the JSON. With `Inference-Header-Content-Length: 0` the whole body is one ' +
      'text. FP16 and BF16 have no JSON form.',
    parameters: ['json_length'],
    body: { [JSON_TYPE]: ref('schemas', 'InferenceRequest'), 'application/octet-stream': BYTES },
    answer: INFERRED,
    errors: [...ROWS_ERRORS.filter((code) => code !== 'not_acceptable'), ...BATCH_ERRORS, 'not_implemented'],
    examples: [
      infers('text', 'One text', { id: '1', inputs: [TEXT], outputs: [{ name: 'input_ids' }] }),
      infers('ids', 'Two rows of ids, one shorter', {
        inputs: [
          { name: 'input_ids', shape: [2, 3], datatype: 'INT64', data: [15496, 11, 995, 40, 367, 0] },
          { name: 'attention_mask', shape: [2, 3], datatype: 'INT64', data: [1, 1, 1, 1, 1, 0] },
        ],
        outputs: [{ name: 'input_ids' }, { name: 'attention_mask' }],
      }),
      infers('windows', 'Windows of two tokens', {
        parameters: { context_length: 2, stride: 1, allowed_special: '' },
        inputs: [TEXT],
        outputs: [{ name: 'input_ids' }, { name: 'target_ids' }],
      }),
      infers('not_implemented', 'Shared memory', {
        inputs: [{ name: 'text', shape: [1], datatype: 'BYTES', parameters: { shared_memory_region: 'a' } }],
      }),
      infers('invalid_request', '16-bit floats as JSON', {
        inputs: [TEXT],
        parameters: { dtype: 'float16' },
      }),
    ],
  },
  'InferenceAnswer',
)

const SERVER = { summary: 'What this server is', id: 'getInferenceServer', path: '/v2' }

/** Paths below /v2. */
export const inferenceOperations: readonly Operation[] = [
  operation({ ...SERVER, examples: [{ name: 'server', summary: 'The server' }] }, 'InferenceServer'),
  operation({ ...SERVER, id: 'getInferenceServerRoot', path: '/v2/' }, 'InferenceServer'),
  operation(
    {
      id: 'getInferenceLiveness',
      path: '/v2/health/live',
      summary: 'As /health/live',
      open: true,
      errors: ['not_live'],
    },
    'InferenceLive',
  ),
  operation(
    {
      ...{ id: 'getInferenceReadiness', path: '/v2/health/ready', summary: 'As /health/ready', open: true },
      errors: ['loading', 'stopping'],
    },
    'InferenceReady',
  ),
  operation(
    { id: 'listInferenceModels', path: '/v2/models', summary: 'The models’ names' },
    'InferenceModels',
  ),
  ...ofModel(
    {
      ...{ id: 'getInferenceModel', path: '', end: '', summary: 'A model’s inputs and outputs' },
      examples: [{ name: 'default', summary: 'The default model', parameters: { model: 'default' } }],
    },
    'InferenceModel',
  ),
  ...ofModel(
    {
      id: 'getInferenceModelReady',
      path: '',
      end: '/ready',
      summary: 'Whether its tables are there',
      errors: ['model_loading'],
    },
    'InferenceModelReady',
  ),
  ...ofModel(
    { id: 'getInferenceModelConfig', path: '', end: '/config', summary: 'Its configuration, as Triton’s' },
    'InferenceModelConfig',
  ),
  ...ofModel(
    { id: 'getInferenceStatistics', path: '', end: '/stats', summary: 'Its inferences over /v2' },
    'InferenceStatistics',
  ),
  operation(
    {
      id: 'listInferenceStatistics',
      path: '/v2/models/stats',
      summary: 'The inferences of all models over /v2',
    },
    'InferenceStatistics',
  ),
  ...infer,
  operation(
    {
      ...{
        id: 'getRepositoryIndex',
        path: '/v2/repository/index',
        method: 'post',
        summary: 'The models and their states',
      },
      body: { [JSON_TYPE]: ref('schemas', 'RepositoryIndexRequest') },
      errors: JSON_ERRORS,
      examples: [
        {
          name: 'ready',
          summary: 'Models that are ready',
          body: { mediaType: JSON_TYPE, value: { ready: true } },
        },
      ],
    },
    'RepositoryIndex',
  ),
  ...(['load', 'unload'] as const).map((change) =>
    operation(
      {
        ...{
          id: `${change}RepositoryModel`,
          path: `/v2/repository/models/{model}/${change}`,
          method: 'post',
        },
        summary: `As /v1/models/{model}/${change}`,
        parameters: ['model_path'],
        admin: true,
        errors: [
          ...JSON_ERRORS,
          'model_not_found',
          ...(change === 'load' ? (['model_failed', 'insufficient_memory'] as const) : []),
        ],
      },
      change === 'load' ? 'RepositoryLoaded' : 'RepositoryUnloaded',
    ),
  ),
]
