import type { ErrorCode } from '../../errors.js'
import type { inferenceAnswers } from '../../wire/inference/answer-schemas.js'
import { ref } from '../json.js'
import { jsonAnswer, jsonExample, type Operation } from '../operation.js'
import { BATCH_ERRORS, ROWS_ERRORS } from './error-lists.js'
import { BYTES } from './media.js'

const JSON_TYPE = 'application/json'
const MODEL_ERRORS: readonly ErrorCode[] = ['model_not_found', 'loading', 'model_failed']

type Schema = keyof typeof inferenceAnswers

function operation(
  id: string,
  path: string,
  summary: string,
  schema: Schema,
  rest: Partial<Operation> & Pick<Operation, 'description'>,
): Operation {
  const answer = jsonAnswer(schema, summary)
  const usual = { method: 'get', tag: 'Open Inference Protocol', isInference: true } as const
  return { ...usual, id, path, summary, errors: [], examples: [], answer, ...rest }
}

/** An operation below a model's path, and the same below a version of it. */
function ofModel(
  id: string,
  end: string,
  summary: string,
  schema: Schema,
  { errors = [], parameters = [], ...rest }: Partial<Operation> & Pick<Operation, 'description'>,
): readonly Operation[] {
  const own = { ...rest, errors: [...MODEL_ERRORS, ...errors], parameters: ['model_path', ...parameters] }
  const versioned = { ...own, examples: [], parameters: ['model_path', 'version_path', ...parameters] }
  return [
    operation(id, `/v2/models/{model}${end}`, summary, schema, own),
    operation(`${id}Version`, `/v2/models/{model}/versions/{version}${end}`, summary, schema, versioned),
  ]
}

const infers = (name: string, summary: string, value: object) =>
  jsonExample(name, summary, value, { model: 'default' })

const TEXT = { name: 'text', shape: [1], datatype: 'BYTES', data: ['Hello, world!'] }

const INFERRED = jsonAnswer(
  'InferenceAnswer',
  'The outputs in their order. Those that are binary stand behind the JSON, one after the other.',
  ['Content-Length', 'Inference-Header-Content-Length', 'X-Model-Version'],
  { 'application/octet-stream': BYTES },
)

const infer = ofModel('infer', '/infer', 'Tensors of a text, or of ids', 'InferenceAnswer', {
  method: 'post',
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
})

/** Paths below /v2. */
export const inferenceOperations: readonly Operation[] = [
  operation('getInferenceServer', '/v2', 'What this server is', 'InferenceServer', {
    description: 'Its name, its version and the extensions of the protocol that it has. /v2/ is the same.',
    examples: [{ name: 'server', summary: 'The server' }],
  }),
  operation('getInferenceLiveness', '/v2/health/live', 'As /health/live', 'InferenceLive', {
    description: 'The process answers.',
    open: true,
  }),
  operation('getInferenceReadiness', '/v2/health/ready', 'As /health/ready', 'InferenceReady', {
    description: 'The tables are there, and the service does not stop.',
    open: true,
    errors: ['loading', 'stopping'],
  }),
  operation('listInferenceModels', '/v2/models', 'The models’ names', 'InferenceModels', {
    description: 'The id of each model.',
  }),
  ...ofModel('getInferenceModel', '', 'A model’s inputs and outputs', 'InferenceModel', {
    description: 'Names, element types and shapes of the tensors that the model takes and gives.',
    examples: [{ name: 'default', summary: 'The default model', parameters: { model: 'default' } }],
  }),
  ...ofModel('getInferenceModelReady', '/ready', 'Whether its tables are there', 'InferenceModelReady', {
    description: 'A 200 where the model answers at once; 503 while its tables are being made.',
    errors: ['model_loading'],
  }),
  ...ofModel('getInferenceModelConfig', '/config', 'Its configuration, as Triton’s', 'InferenceModelConfig', {
    description: 'The metadata in the form of Triton’s model configuration.',
  }),
  ...infer,
]
