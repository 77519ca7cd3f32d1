import { jsonAnswer, type Operation } from '../operation.js'

export const listModels: Operation = {
  id: 'listModels',
  method: 'get',
  path: '/v1/models',
  tag: 'Models',
  summary: 'The models',
  description: 'Every model with its sizes, its tables’ origin and the limits of the service.',
  answer: jsonAnswer('ModelList', 'The models.'),
  errors: ['not_acceptable', 'loading'],
  examples: [{ name: 'models', summary: 'The default model alone' }],
}

export const getModel: Operation = {
  id: 'getModel',
  method: 'get',
  path: '/v1/models/{model}',
  tag: 'Models',
  summary: 'One model',
  description: 'A model with its sizes, its tables’ origin and the limits of the service.',
  parameters: ['model_path'],
  answer: jsonAnswer('Model', 'The model.'),
  errors: ['model_not_found', 'not_acceptable', 'loading'],
  examples: [
    { name: 'default', summary: 'The default model', parameters: { model: 'default' } },
    { name: 'model_not_found', summary: 'A model that is not there', parameters: { model: 'gpt-5' } },
  ],
}
