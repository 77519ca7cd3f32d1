import { jsonAnswer, type Operation } from '../operation.js'
import { otherParameters } from '../parameters.js'
import { BYTES, SAFETENSORS } from './media.js'

const FILES = { ...SAFETENSORS, 'application/x-npy': BYTES }

function operation(rest: Omit<Operation, 'tag' | 'examples'>): Operation {
  return { tag: 'Models', examples: [], ...rest }
}

const put = operation({
  id: 'putPrompt',
  method: 'put',
  path: '/v1/models/{model}/prompts/{prompt}',
  summary: 'Put a soft prompt to a model',
  description:
    'Rows [n, C] that were learned elsewhere: PEFT’s `adapter_model.safetensors` as it is, or a .npy of float32 or float16. ' +
    'Requests that run keep the rows that they began with.',
  parameters: ['model_path', 'prompt_path', ...otherParameters('prompts')],
  body: FILES,
  answer: jsonAnswer('SoftPrompt', 'The same rows were there already.'),
  otherAnswers: [{ ...jsonAnswer('SoftPrompt', 'The rows are there.'), status: 201 }],
  admin: true,
  errors: [
    ...(['invalid_request', 'invalid_encoding', 'body_too_large', 'unsupported_media_type'] as const),
    ...(['not_acceptable', 'model_not_found', 'loading', 'model_loading', 'model_failed'] as const),
    ...(['shape_mismatch', 'unsupported_combination', 'not_finite', 'insufficient_memory'] as const),
  ],
})

const list = operation({
  id: 'listPrompts',
  method: 'get',
  path: '/v1/models/{model}/prompts',
  summary: 'A model’s soft prompts',
  description: 'All of them, by name.',
  parameters: ['model_path'],
  answer: jsonAnswer('SoftPromptList', 'The soft prompts.'),
  errors: ['model_not_found', 'not_acceptable', 'loading'],
})

const get = operation({
  id: 'getPrompt',
  method: 'get',
  path: '/v1/models/{model}/prompts/{prompt}',
  summary: 'One soft prompt',
  description: 'What it is; or its rows, as the file that `PUT` takes.',
  parameters: ['model_path', 'prompt_path'],
  answer: jsonAnswer('SoftPrompt', 'The soft prompt.', ['Content-Length'], FILES),
  errors: ['model_not_found', 'prompt_not_found', 'not_acceptable', 'response_too_large', 'loading'],
})

const remove = operation({
  id: 'deletePrompt',
  method: 'delete',
  path: '/v1/models/{model}/prompts/{prompt}',
  summary: 'Delete a soft prompt',
  description: 'Requests that run keep its rows.',
  parameters: ['model_path', 'prompt_path'],
  answer: { status: 204, description: 'It is gone.', headers: [], content: {} },
  admin: true,
  errors: ['model_not_found', 'prompt_not_found'],
})

export const softPromptOperations: readonly Operation[] = [list, put, get, remove]
