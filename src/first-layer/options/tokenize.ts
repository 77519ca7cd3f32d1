import { z } from 'zod'
import { specialField } from './names.js'

/** How a text becomes ids. */
export const tokenizeOptions = {
  allowed_special: specialField
    .optional()
    .describe(
      'Special tokens whose literal in the text becomes their id: a list, or "all". Default: `<|endoftext|>` for the five ' +
        'encodings, all for tokenizers of folders.',
    ),
  add_special_tokens: z
    .boolean()
    .default(false)
    .describe(
      'Add the tokens that the model expects around a text, as `[CLS]` and `[SEP]`. The encodings have none.',
    ),
}
