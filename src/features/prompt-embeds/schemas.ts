import { z } from 'zod'
import { idsField, refuseInput, textField } from '../../first-layer/given.js'
import { tokenizeOptions } from '../../first-layer/options/tokenize.js'
import { shown } from '../../service/answer/error-table.js'
import { chatFields, checkChat, messagesField } from '../../service/request/chat/chat.js'

const PROMPT_TARGETS = ['vllm', 'transformers', 'sglang'] as const
export type PromptTarget = (typeof PROMPT_TARGETS)[number]

/** The body of `POST /v1/prompt-embeds`. */
export const promptEmbedsRequest = z
  .strictObject({
    model: z.string().optional().describe('Id of the model. Default: the service’s default model.'),
    text: textField.optional(),
    input_ids: idsField.optional(),
    messages: messagesField.optional(),
    ...chatFields,
    target: z
      .enum(PROMPT_TARGETS)
      .default('vllm')
      .describe(
        'Who takes the rows: some models’ rows are multiplied before they are handed over, or after.',
      ),
    dtype: z
      .enum(['float32', 'float16', 'bfloat16'])
      .optional()
      .describe('Element type of the rows. Default: the model’s own.'),
    allowed_special: tokenizeOptions.allowed_special,
    add_special_tokens: tokenizeOptions.add_special_tokens.default(true),
  })
  .superRefine((body, context) => {
    const { text, input_ids: ids, messages } = body
    if (messages === undefined) refuseInput(body, context)
    else if (ids !== undefined) {
      const params = { given: shown(ids) }
      const message = 'must not be given beside `messages`'
      context.addIssue({ code: 'custom', path: ['input_ids'], message, params })
    }
    if (ids === undefined && (text !== undefined || messages !== undefined)) checkChat(body, context)
  })
