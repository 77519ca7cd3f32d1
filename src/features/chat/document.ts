import { z } from 'zod'
import { component, object } from '../../service/document/components.js'
import { answer, MASK_ERRORS, type Operations, TEXT_ERRORS } from '../../service/document/operation.js'
import { renderChatRequest, renderCompletionRequest } from './render.js'

export const tag = 'Tokens'

component('RenderCompletionRequest', renderCompletionRequest)
component('RenderChatRequest', renderChatRequest)

const renderedPrompt = object('RenderedPrompt', {
  request_id: z.string(),
  model: z.string(),
  token_ids: z.array(z.int().min(0)).optional().describe('The ids, unless `target` is `sglang`.'),
  input_ids: z.array(z.int().min(0)).optional().describe('The ids, where `target` is `sglang`.'),
  assistant_tokens_mask: z
    .array(z.int().min(0).max(1))
    .optional()
    .describe('1 where an id is the assistant’s. Present under `return_assistant_tokens_mask`.'),
  features: z.null().describe('Of texts there are none.'),
})
const renderedPrompts = component(
  'RenderedPrompts',
  z.array(renderedPrompt).describe('An object for each prompt, in their order.'),
)

const UNREAD =
  'Fields that are not listed are the engine’s, and not read; those that would change the ids (`truncation`, ' +
  '`max_length`, `suffix` and the like) are refused unless they are null or false.'

export const operations: Operations = {
  renderCompletion: {
    summary: 'The token ids of a completion’s prompts, for those who route before an engine does',
    description: `OpenAI’s body, vLLM’s answer, or with \`target\` SGLang’s. ${UNREAD}`,
    answers: {
      200: answer(renderedPrompts, 'An object for each prompt, in their order.', ['Server-Timing']),
    },
    errors: [TEXT_ERRORS],
  },
  renderChat: {
    summary: 'The token ids of a chat by the model’s template',
    description:
      'OpenAI’s body, vLLM’s answer, or with `target` SGLang’s. The ids are those of transformers’ `apply_chat_template`: a template ' +
      `or a chat of which that is not certain is refused with \`template_unsupported\`, which names the construct. ${UNREAD}`,
    answers: { 200: answer(renderedPrompt, 'The ids of the chat.', ['Server-Timing']) },
    errors: [TEXT_ERRORS, MASK_ERRORS],
  },
}
