import { ref } from '../json.js'
import { jsonAnswer, jsonExample, type Operation } from '../operation.js'
import { TEMPLATE_ERRORS, TEXT_ERRORS } from './error-lists.js'

const UNREAD = 'Fields that are not listed are the engine’s, and not read.'

export const renderCompletion: Operation = {
  id: 'renderCompletion',
  method: 'post',
  path: '/v1/completions/render',
  tag: 'Tokens',
  summary: 'The token ids of a completion’s prompts, for those who route before an engine does',
  description: `OpenAI’s body, vLLM’s answer, or with \`target\` SGLang’s. ${UNREAD}`,
  body: { 'application/json': ref('schemas', 'RenderCompletionRequest') },
  answer: jsonAnswer('RenderedPrompts', 'An object for each prompt, in their order.', ['Server-Timing']),
  errors: [...TEXT_ERRORS, 'token_out_of_range', 'response_too_large'],
  examples: [jsonExample('model_not_found', 'A model that is not there', { model: 'gpt5', prompt: 'Hello' })],
}

export const renderChat: Operation = {
  id: 'renderChat',
  method: 'post',
  path: '/v1/chat/completions/render',
  tag: 'Tokens',
  summary: 'The token ids of a chat by the model’s template',
  description:
    'OpenAI’s body, vLLM’s answer, or with `target` SGLang’s. The ids are those of transformers’ `apply_chat_template`: a template ' +
    `or a chat of which that is not certain is refused with \`template_unsupported\`, which names the construct. ${UNREAD}`,
  body: { 'application/json': ref('schemas', 'RenderChatRequest') },
  answer: jsonAnswer('RenderedPrompt', 'The ids of the chat.', ['Server-Timing']),
  errors: [...TEXT_ERRORS, ...TEMPLATE_ERRORS, 'token_out_of_range', 'response_too_large'],
  examplesBy: 'folders',
  examples: [
    jsonExample('template_unavailable', 'A model without a template', {
      messages: [{ role: 'user', content: 'Hello' }],
    }),
    jsonExample('template_failed', 'A template that refuses the chat', {
      messages: [{ role: 'user', content: 'Hello' }],
      chat_template: "{{ raise_exception('Roles must alternate') }}",
    }),
    jsonExample('template_unsupported', 'A template that is not rendered here', {
      messages: [{ role: 'user', content: 'Hello' }],
      chat_template: "{{ messages | groupby('role') }}",
    }),
  ],
}
