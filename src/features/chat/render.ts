import type { Chat } from 'inlet-chat-template'
import { z } from 'zod'
import { inputField } from '../../first-layer/given.js'
import { tokenizeOptions } from '../../first-layer/options/tokenize.js'
import { chatFields, messagesField } from '../../service/request/chat/chat.js'

const shared = {
  model: z.string().nullish().describe('Id of the model. Default: the service’s default model.'),
  target: z
    .enum(['vllm', 'sglang'])
    .default('vllm')
    .describe(
      'Whose answer: the ids are `token_ids` for vLLM and those who speak it, `input_ids` for SGLang.',
    ),
  truncate_prompt_tokens: z
    .null()
    .optional()
    .describe('Not done here: the ids are those of the whole prompt.'),
  allowed_special: tokenizeOptions.allowed_special,
} as const

/** vLLM's, of which OpenAI knows most. */
const EFFORTS = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const

/** Fields of OpenAI's, vLLM's and transformers' that would change the ids, or what is answered beside them: not done here. */
const NOT_DONE = [
  ...['sanitize_control_tokens', 'truncation', 'max_length', 'padding'],
  ...['return_tensors', 'tokenizer_kwargs', 'mm_processor_kwargs', 'functions', 'function_call'],
  ...['prompt_embeds', 'suffix', 'echo'],
]

/** Refuses what would be ignored; absent, null and false are the default of each. */
function refusing(fields: readonly string[]) {
  return (body: Readonly<Record<string, unknown>>, context: z.core.$RefinementCtx): void => {
    for (const field of fields)
      if ((body[field] ?? false) !== false)
        context.addIssue({
          code: 'custom',
          path: [field],
          message: 'must be absent, null or false: it is not done here',
        })
  }
}

/** The body of `POST /v1/completions/render`: OpenAI's. Fields that are not listed are not read. */
export const renderCompletionRequest = z
  .looseObject({
    ...shared,
    prompt: inputField.describe('A text, texts, the ids of a text, or those of several.'),
    add_special_tokens: tokenizeOptions.add_special_tokens.default(true),
  })
  .superRefine(refusing([...NOT_DONE, 'return_assistant_tokens_mask']))

/** The body of `POST /v1/chat/completions/render`, in the same way. */
export const renderChatRequest = z
  .looseObject({
    ...shared,
    messages: messagesField,
    ...chatFields,
    reasoning_effort: z
      .enum(EFFORTS)
      .nullish()
      .describe(
        'As vLLM hands it to the template: the variable of this name, and `enable_thinking`, false for `none`, unless ' +
          '`chat_template_kwargs` has that.',
      ),
    return_assistant_tokens_mask: z
      .boolean()
      .nullish()
      .describe(
        'Adds `assistant_tokens_mask`: 1 for each id in the template’s `{% generation %}` blocks, or where it has none for each that the model itself would have sampled.',
      ),
    add_special_tokens: tokenizeOptions.add_special_tokens,
  })
  .superRefine(refusing(NOT_DONE))

export function renderedChatOf(body: z.output<typeof renderChatRequest>): Chat {
  const { reasoning_effort: effort, chat_template_kwargs: own } = body
  if (effort == null) return body
  const thinking = ['enable_thinking', effort !== 'none'] as const
  return {
    ...body,
    chat_template_kwargs: new Map([thinking, ...(own ?? []), ['reasoning_effort', effort]]),
  }
}
