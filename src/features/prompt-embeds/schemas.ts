import { z } from 'zod'
import { idsField, textField } from '../../first-layer/given.js'
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
    const { text, input_ids, messages } = body
    const refuse = (field: string, message: string, params = {}) =>
      context.addIssue({ code: 'custom', path: [field], message, params })
    const given = { given: shown(input_ids) }
    if (text === undefined && input_ids === undefined && messages === undefined)
      refuse('text', 'or `input_ids` is needed')
    if (messages !== undefined && input_ids !== undefined)
      refuse('input_ids', 'must not be given beside `messages`', given)
    if (input_ids === undefined && (text !== undefined || messages !== undefined)) checkChat(body, context)
    if (text !== undefined && input_ids !== undefined)
      refuse('input_ids', 'must not be given beside `text`', given)
  })
