import { z } from 'zod'
import { component, count, object, text } from '../../service/document/components.js'
import {
  answer,
  BATCH_ERRORS,
  BYTES,
  ERROR_EXAMPLE,
  inHead,
  inPath,
  NUMBER,
  type Operation,
  type Operations,
  ROWS_ERRORS,
} from '../../service/document/operation.js'
import { inferenceInput } from './inputs.js'
import { inferenceOutput, inferenceRequest } from './request.js'

export { default as examples } from './examples.json' with { type: 'json' }
export const tag = 'Open Inference Protocol'

export const parameters = {
  version_path: inPath('version', 'Its present version: there is no other.', {
    schema: { type: 'string', pattern: '^[0-9]+$' },
  }),
  json_length: inHead(
    'Inference-Header-Content-Length',
    'Bytes of JSON at the body’s beginning, where those of binary inputs follow; 0: the body is one text.',
    { schema: { ...NUMBER, maximum: 2147483647 } },
  ),
}

component('InferenceRequest', inferenceRequest)
component('InferenceInput', inferenceInput)
component('InferenceRequestedOutput', inferenceOutput)

const name = text('Id of a model.')
const version = text('The number of its tables’ version; empty where it has no tables.')
const shape = z.array(z.int()).describe('Sizes of the axes.')
const datatype = text('BYTES, INT64, INT32, FP32, FP16 or BF16.')

const tensorMetadata = object('InferenceTensorMetadata', {
  name: z.string(),
  datatype,
  shape: shape.describe('Sizes of the axes; −1: any.'),
})

const outputTensor = object('InferenceOutput', {
  name: z.string(),
  datatype,
  shape,
  parameters: object('InferenceOutputParameters', {
    binary_data_size: count('Bytes behind the JSON.'),
  }).optional(),
  data: z
    .array(z.union([z.number(), z.enum(['Infinity', '-Infinity', 'NaN'])]))
    .optional()
    .describe('Elements in row-major order; absent where they stand behind the JSON.'),
})

const inferenceAnswer = object('InferenceAnswer', {
  model_name: name,
  model_version: version,
  id: text('The request’s.').optional(),
  parameters: z
    .record(z.string(), z.union([z.string(), z.number()]))
    .describe('Counts of the request, and what a position scheme says of its tensors.'),
  outputs: z.array(outputTensor),
})

export const errorAnswer = {
  schema: object('InferenceError', { error: text('Names the field, the rule and the value given.') }),
  example: { error: ERROR_EXAMPLE.message },
}

function operation(
  summary: string,
  schema: z.ZodType,
  description: string,
  errors: Operation['errors'] = [],
): Operation {
  return { summary, description, answers: { 200: answer(schema, summary) }, errors }
}

/** Operations below a model's path, and the same below a version of it. */
const ofModel: Operations = {
  getInferenceModel: operation(
    'A model’s inputs and outputs',
    object('InferenceModel', {
      name,
      versions: z.array(version),
      platform: z.string(),
      inputs: z.array(tensorMetadata).describe('`text`, or `input_ids` and what stands beside them.'),
      outputs: z.array(tensorMetadata).describe('Under the model’s own position scheme.'),
    }),
    'Names, element types and shapes of the tensors that the model takes and gives.',
    ['loading', 'model_failed'],
  ),
  getInferenceModelReady: operation(
    'Whether its tables are there',
    object('InferenceModelReady', { name, ready: z.literal(true) }),
    'A 200 where the model answers at once; 503 while its tables are being made.',
    ['loading', 'model_failed', 'model_loading'],
  ),
  getInferenceModelConfig: operation(
    'Its configuration, as Triton’s',
    component(
      'InferenceModelConfig',
      z
        .looseObject({ name, max_batch_size: z.literal(0) })
        .describe('The metadata in the form of Triton’s configuration.'),
    ),
    'The metadata in the form of Triton’s model configuration.',
    ['loading', 'model_failed'],
  ),
  infer: {
    summary: 'Tensors of a text, or of ids',
    description:
      'Exactly one of `text` (BYTES [n], a document each) and `input_ids` (INT64 or INT32, [n] or [rows, n]); beside ids also `attention_mask`, whose zeros drop ids at the end of a row, and `token_type_ids`. `parameters` are the fields of /v1/input-embeddings, objects with dots and lists with commas as in its query string; `timeout` is in microseconds. Elements stand in `data`, or, as bytes, behind the JSON. With `Inference-Header-Content-Length: 0` the whole body is one text. FP16 and BF16 have no JSON form.',
    head: ['json_length'],
    body: { 'application/json': inferenceRequest, 'application/octet-stream': BYTES },
    answers: {
      200: answer(
        inferenceAnswer,
        'The outputs in their order. Those that are binary stand behind the JSON, one after the other.',
        ['Content-Length', 'Inference-Header-Content-Length', 'X-Model-Version'],
      ),
    },
    errors: [ROWS_ERRORS, BATCH_ERRORS, 'not_implemented'],
  },
}

export const operations: Operations = {
  getInferenceServer: operation(
    'What this server is',
    object('InferenceServer', { name: z.string(), version: z.string(), extensions: z.array(z.string()) }),
    'Its name, its version and the extensions of the protocol that it has. /v2/ is the same.',
  ),
  getInferenceLiveness: operation(
    'As /health/live',
    object('InferenceLive', { live: z.literal(true) }),
    'The process answers.',
    ['not_live'],
  ),
  getInferenceReadiness: operation(
    'As /health/ready',
    object('InferenceReady', { ready: z.literal(true) }),
    'The tables are there, and the service does not stop.',
    ['loading', 'stopping', 'not_live'],
  ),
  listInferenceModels: operation(
    'The models’ names',
    object('InferenceModels', { models: z.array(name) }),
    'The id of each model.',
  ),
  ...ofModel,
  ...Object.fromEntries(
    Object.entries(ofModel).map(([id, each]) => {
      return [`${id}Version`, { ...each, description: `As \`${id}\`, of the version that the path names.` }]
    }),
  ),
}
