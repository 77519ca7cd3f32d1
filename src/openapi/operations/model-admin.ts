import type { ErrorCode } from '../../errors.js'
import { safetensors } from '../../wire/formats/safetensors.js'
import { type JsonObject, ref } from '../json.js'
import { jsonAnswer, type Operation } from '../operation.js'
import { JSON_ERRORS } from './error-lists.js'

const FILE: JsonObject = { type: 'string', format: 'binary', description: 'A safetensors file.' }
/** A body or an answer that is one. */
export const FILES = Object.fromEntries(safetensors.mediaTypes.map((mediaType) => [mediaType, FILE]))

/** Of operations that read such a file. */
export const FILE_ERRORS: readonly ErrorCode[] = [
  'invalid_request',
  'invalid_encoding',
  'unsupported_media_type',
]

const model = (description: string) => jsonAnswer('Model', description)

function operation(
  rest: Pick<Operation, 'id' | 'method' | 'path' | 'summary' | 'description' | 'answer' | 'errors'> &
    Partial<Operation>,
): Operation {
  return { tag: 'Models', parameters: ['model_path'], admin: true, examples: [], ...rest }
}

const putModel = operation({
  id: 'putModel',
  method: 'put',
  path: '/v1/models/{model}',
  summary: 'Make a model',
  description:
    'From a card as JSON, whose tables a seed draws, or from tables as safetensors: `wte.weight` [V, C], `wpe.weight` [P, C], `wtt.weight` [types, C], `norm.weight` and `norm.bias` [C], `position.NAME`, all of one type, F32, F16 or BF16. In a file, `encoding`, `architecture` and `position_embedding` stand as strings in `__metadata__`.',
  body: { 'application/json': ref('schemas', 'ModelCard'), ...FILES },
  answer: model('The same model was there already.'),
  otherAnswers: [{ ...model('The model is made.'), status: 201 }],
  errors: [
    ...JSON_ERRORS,
    ...(['not_acceptable', 'model_exists', 'shape_mismatch', 'insufficient_memory'] as const),
  ],
})

const deleteModel = operation({
  id: 'deleteModel',
  method: 'delete',
  path: '/v1/models/{model}',
  summary: 'Delete a model',
  description: 'One that a request has made. What runs on it finishes.',
  answer: { status: 204, description: 'It is gone.', headers: [], content: {} },
  errors: ['model_not_found', 'model_in_use'],
})

const getTables = operation({
  id: 'getTables',
  method: 'get',
  path: '/v1/models/{model}/tables',
  summary: 'Read a model’s tables',
  description: 'Every table as one safetensors file, which `PUT` takes again.',
  parameters: ['model_path', 'if_none_match'],
  answer: {
    description: 'The tables.',
    headers: ['Content-Length', 'ETag', 'X-Model-Version'],
    content: FILES,
  },
  otherAnswers: [
    { status: 304, description: 'The caller has them.', headers: ['ETag', 'X-Model-Version'], content: {} },
  ],
  errors: [
    ...(['invalid_request', 'model_not_found', 'not_acceptable', 'response_too_large'] as const),
    ...(['model_failed', 'model_loading', 'insufficient_memory'] as const),
  ],
})

const putTables = operation({
  id: 'putTables',
  method: 'put',
  path: '/v1/models/{model}/tables',
  summary: 'Exchange a model’s tables',
  description:
    'One table or more, in the shapes that they have. All take their place at once when the last byte has come; requests that run finish on the tables that they began with.',
  parameters: ['model_path', 'if_match'],
  body: FILES,
  answer: jsonAnswer('TablesExchanged', 'The tables are exchanged.', ['X-Model-Version']),
  errors: [
    ...FILE_ERRORS,
    ...(['model_not_found', 'not_acceptable', 'precondition_failed', 'shape_mismatch'] as const),
    ...(['model_failed', 'model_loading', 'insufficient_memory', 'optimizer_exists'] as const),
  ],
})

const loadModel = operation({
  id: 'loadModel',
  method: 'post',
  path: '/v1/models/{model}/load',
  summary: 'Load a model',
  description: 'Makes its tables where they are not there.',
  answer: model('The model with its tables.'),
  errors: ['model_not_found', 'not_acceptable', 'model_failed', 'insufficient_memory'],
})

const unloadModel = operation({
  id: 'unloadModel',
  method: 'post',
  path: '/v1/models/{model}/unload',
  summary: 'Unload a model',
  description:
    'Lets its tables go; those that were uploaded, or learned, are gone for good. Not while it learns.',
  answer: model('The model without tables.'),
  errors: ['model_not_found', 'not_acceptable', 'optimizer_exists'],
})

export const modelAdminOperations: readonly Operation[] = [
  ...[putModel, deleteModel, loadModel, unloadModel],
  ...[getTables, putTables],
]
