import {
  BATCH_ERRORS,
  BYTES,
  jsonAnswer,
  jsonBody,
  LEASE_ERRORS,
  type Operation,
  ROWS_ERRORS,
} from '../../service/document/operation.js'
import type { inferenceAnswers } from './wire/answer-schemas.js'

function operation(
  id: string,
  path: string,
  summary: string,
  schema: keyof typeof inferenceAnswers,
  description: string,
  rest: Partial<Operation> = {},
): Operation {
  const usual = { tag: 'Open Inference Protocol', isInference: true, answers: [jsonAnswer(schema, summary)] }
  return { id, route: `get ${path}`, summary, description, ...usual, ...rest }
}

/** An operation below a model's path, and the same below a version of it. */
function ofModel(operation: Operation): readonly Operation[] {
  const [beginning, end] = operation.route.split('{model}')
  const route = `${beginning}{model}/versions/{version}${end}`
  return [operation, { ...operation, id: `${operation.id}Version`, route, examples: [] }]
}

const INFERRED = jsonAnswer(
  'InferenceAnswer',
  'The outputs in their order. Those that are binary stand behind the JSON, one after the other.',
  ['Content-Length', 'Inference-Header-Content-Length', 'X-Model-Version'],
  { 'application/octet-stream': BYTES },
)

const MODEL = '/v2/models/{model}'
const MODEL_ERRORS = { errors: ['loading', 'model_failed'] } as const

const metadata = operation(
  ...(['getInferenceModel', MODEL, 'A model’s inputs and outputs', 'InferenceModel'] as const),
  'Names, element types and shapes of the tensors that the model takes and gives.',
  MODEL_ERRORS,
)

const ready = operation(
  ...(['getInferenceModelReady', `${MODEL}/ready`, 'Whether its tables are there'] as const),
  'InferenceModelReady',
  'A 200 where the model answers at once; 503 while its tables are being made.',
  { errors: [...MODEL_ERRORS.errors, 'model_loading'] },
)

const config = operation(
  ...(['getInferenceModelConfig', `${MODEL}/config`, 'Its configuration, as Triton’s'] as const),
  'InferenceModelConfig',
  'The metadata in the form of Triton’s model configuration.',
  MODEL_ERRORS,
)

const infer = operation(
  ...(['infer', '', 'Tensors of a text, or of ids', 'InferenceAnswer'] as const),
  'Exactly one of `text` (BYTES [n], a document each) and `input_ids` (INT64 or INT32, [n] or [rows, n]); beside ids also ' +
    '`attention_mask`, whose zeros drop ids at the end of a row, and `token_type_ids`. `parameters` are the fields of ' +
    '/v1/input-embeddings, objects with dots and lists with commas as in its query string; `timeout` is in microseconds. ' +
    'Elements stand in `data`, or, as bytes, behind the JSON. With `Inference-Header-Content-Length: 0` the whole body is one ' +
    'text. FP16 and BF16 have no JSON form.',
  {
    route: `post ${MODEL}/infer`,
    parameters: ['json_length'],
    body: { ...jsonBody('InferenceRequest'), 'application/octet-stream': BYTES },
    answers: [INFERRED],
    errors: [...ROWS_ERRORS, ...LEASE_ERRORS, ...BATCH_ERRORS, 'not_implemented'],
    examples: [
      {
        name: 'text',
        summary: 'One text',
        parameters: { model: 'default' },
        body: {
          id: '1',
          inputs: [{ name: 'text', shape: [1], datatype: 'BYTES', data: ['Hello, world!'] }],
          outputs: [{ name: 'input_ids' }],
        },
        answer: {
          ...{ model_name: 'default', model_version: '1', id: '1' },
          parameters: { num_tokens: 4, num_characters: 13, num_windows: 1, num_dropped_tokens: 0 },
          outputs: [{ name: 'input_ids', datatype: 'INT32', shape: [1, 4], data: [15496, 11, 995, 0] }],
        },
      },
      {
        name: 'ids',
        summary: 'Two rows of ids, one shorter',
        parameters: { model: 'default' },
        body: {
          inputs: [
            { name: 'input_ids', shape: [2, 3], datatype: 'INT64', data: [15496, 11, 995, 40, 367, 0] },
            { name: 'attention_mask', shape: [2, 3], datatype: 'INT64', data: [1, 1, 1, 1, 1, 0] },
          ],
          outputs: [{ name: 'input_ids' }, { name: 'attention_mask' }],
        },
      },
    ],
  },
)

/** Paths below /v2. */
export const inferenceOperations: readonly Operation[] = [
  operation(
    ...(['getInferenceServer', '/v2', 'What this server is', 'InferenceServer'] as const),
    'Its name, its version and the extensions of the protocol that it has. /v2/ is the same.',
  ),
  operation(
    ...(['getInferenceLiveness', '/v2/health/live', 'As /health/live', 'InferenceLive'] as const),
    'The process answers.',
    { access: 'open' },
  ),
  operation(
    ...(['getInferenceReadiness', '/v2/health/ready', 'As /health/ready', 'InferenceReady'] as const),
    'The tables are there, and the service does not stop.',
    { access: 'open', errors: ['loading', 'stopping'] },
  ),
  operation(
    ...(['listInferenceModels', '/v2/models', 'The models’ names', 'InferenceModels'] as const),
    'The id of each model.',
  ),
  ...[metadata, ready, config, infer].flatMap(ofModel),
]
