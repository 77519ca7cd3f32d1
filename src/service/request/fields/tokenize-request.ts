import { z } from 'zod'
import { idsField, textField } from '../../../first-layer/given.js'
import { tokenizeOptions } from '../../../first-layer/options/tokenize.js'
import { chatFields, checkChat, optionalMessagesField } from '../chat/chat.js'

const maskField = z
  .enum(['sampled', 'tags'])
  .nullish()
  .describe(
    'Adds `loss_mask`, for each id whether it is trained: `sampled`, those that the model itself would have sampled; `tags`, those in the template’s `{% generation %}` blocks.',
  )

const tokenizerFields = {
  model: z.string().optional().describe('Id of the model whose tokenizer is used. Default: `default`.'),
  encoding: z.string().optional().describe('Name of an encoding, instead of `model`.'),
}

function checkOneTokenizer(
  { model, encoding }: { model?: string; encoding?: string },
  context: z.core.$RefinementCtx,
): void {
  if (model === undefined || encoding === undefined) return
  context.addIssue({ code: 'custom', path: ['encoding'], message: 'must not be given beside `model`' })
}

/** The body of `POST /v1/tokenize`. */
export const tokenizeRequest = z
  .strictObject({
    text: textField
      .describe('A text, or texts, each tokenized by itself. An escaped lone surrogate is refused.')
      .optional(),
    messages: optionalMessagesField,
    ...chatFields,
    mask: maskField,
    ...tokenizerFields,
    allowed_special: tokenizeOptions.allowed_special,
    add_special_tokens: tokenizeOptions.add_special_tokens,
    count_only: z
      .boolean()
      .default(false)
      .describe(
        'Answer with `num_tokens` and `num_characters` alone, and for a list `documents`: JSON in any case.',
      ),
  })
  .superRefine(checkOneTokenizer)
  .superRefine(checkChat)
  .refine(({ mask, messages }) => mask == null || messages != null, {
    path: ['mask'],
    error: 'needs `messages`',
  })

/** The body of `POST /v1/detokenize`: the ids of a text, or of several. */
export const detokenizeRequest = z
  .strictObject({
    input_ids: idsField,
    ...tokenizerFields,
    skip_special_tokens: z
      .boolean()
      .default(false)
      .describe('Leave out special tokens, as `decode(skip_special_tokens=True)`.'),
  })
  .superRefine(checkOneTokenizer)
