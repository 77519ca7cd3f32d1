import { FILES, GONE, jsonAnswer, jsonBody, type Operation } from '../../service/document/operation.js'

const model = (description: string) => jsonAnswer('Model', description)

export const modelOperations: readonly Operation[] = [
  {
    id: 'listModels',
    route: 'get /v1/models',
    tag: 'Models',
    summary: 'The models',
    description: 'Every model with its sizes, its tables’ origin and the limits of the service.',
    answers: [jsonAnswer('ModelList', 'The models.')],
    errors: ['loading'],
  },
  {
    id: 'getModel',
    route: 'get /v1/models/{model}',
    tag: 'Models',
    summary: 'One model',
    description: 'A model with its sizes, its tables’ origin and the limits of the service.',
    answers: [model('The model.')],
    errors: ['loading'],
    examples: [{ name: 'default', summary: 'The default model', parameters: { model: 'default' } }],
  },
  {
    id: 'putModel',
    route: 'put /v1/models/{model}',
    tag: 'Models',
    summary: 'Make a model',
    description:
      'From a card as JSON, whose tables a seed draws, or from tables as safetensors: `wte.weight` [V, C], `wpe.weight` [P, C], `wtt.weight` [types, C], `norm.weight` and `norm.bias` [C], `position.NAME`, all of one type, F32, F16 or BF16. In a file, `encoding`, `architecture` and `position_embedding` stand as strings in `__metadata__`.',
    access: 'admin',
    body: { ...jsonBody('ModelCard'), ...FILES },
    answers: [model('The same model was there already.'), { ...model('The model is made.'), status: 201 }],
    errors: ['model_exists', 'shape_mismatch', 'insufficient_memory'],
  },
  {
    id: 'deleteModel',
    route: 'delete /v1/models/{model}',
    tag: 'Models',
    summary: 'Delete a model',
    description: 'One that a request has made. What runs on it finishes.',
    access: 'admin',
    answers: [GONE],
    errors: ['model_in_use'],
  },
  {
    id: 'loadModel',
    route: 'post /v1/models/{model}/load',
    tag: 'Models',
    summary: 'Load a model',
    description: 'Makes its tables where they are not there.',
    access: 'admin',
    answers: [model('The model with its tables.')],
    errors: ['model_failed', 'insufficient_memory'],
  },
  {
    id: 'unloadModel',
    route: 'post /v1/models/{model}/unload',
    tag: 'Models',
    summary: 'Unload a model',
    description:
      'Lets its tables go; those that were uploaded, or learned, are gone for good. Not while it learns.',
    access: 'admin',
    answers: [model('The model without tables.')],
    errors: ['optimizer_exists'],
  },
  {
    id: 'getTables',
    route: 'get /v1/models/{model}/tables',
    tag: 'Models',
    summary: 'Read a model’s tables',
    description: 'Every table as one safetensors file, which `PUT` takes again.',
    access: 'admin',
    parameters: ['if_none_match'],
    answers: [
      { description: 'The tables.', headers: ['Content-Length', 'ETag', 'X-Model-Version'], content: FILES },
      { status: 304, description: 'The caller has them.', headers: ['ETag', 'X-Model-Version'], content: {} },
    ],
    errors: [
      ...(['invalid_request', 'response_too_large', 'model_failed', 'model_loading'] as const),
      'insufficient_memory',
    ],
  },
  {
    id: 'putTables',
    route: 'put /v1/models/{model}/tables',
    tag: 'Models',
    summary: 'Exchange a model’s tables',
    description:
      'One table or more, in the shapes that they have. All take their place at once when the last byte has come; requests that run finish on the tables that they began with.',
    access: 'admin',
    parameters: ['if_match'],
    body: FILES,
    answers: [jsonAnswer('TablesExchanged', 'The tables are exchanged.', ['X-Model-Version'])],
    errors: [
      ...(['precondition_failed', 'shape_mismatch', 'optimizer_exists'] as const),
      ...(['model_failed', 'model_loading', 'insufficient_memory'] as const),
    ],
  },
]
