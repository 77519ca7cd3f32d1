import { z } from 'zod'
import { chatFields, messagesField } from './chat.js'
import { addSpecialTokensField } from './embedding-request.js'
import { inputField } from './given-field.js'

const shared = {
  model: z.string().nullish().describe('Id of the model. Default: the service’s default model.'),
  target: z
    .enum(['vllm', 'sglang'])
    .default('vllm')
    .describe(
      'Whose answer: the ids are `token_ids` for vLLM and those who speak it, `input_ids` for SGLang.',
    ),
} as const

/** The body of `POST /v1/completions/render`: OpenAI's. Fields that are not listed are not read. */
export const renderCompletionRequest = z.looseObject({
  ...shared,
  prompt: inputField.describe('A text, texts, the ids of a text, or those of several.'),
  add_special_tokens: addSpecialTokensField.default(true),
})

/** The body of `POST /v1/chat/completions/render`, in the same way. */
export const renderChatRequest = z.looseObject({
  ...shared,
  messages: messagesField,
  ...chatFields,
  add_special_tokens: addSpecialTokensField,
})
